# SPDX-License-Identifier: Apache-2.0
"""A GPU of a program that computes three times as much as its other one is a finding with what an even share would bring; two that are alike are none, nor are
two that compute in turn."""

import json

LABELS = ("gpu",)
MODES = ("launcher",)


def test(t):
    t.simulated_only("it needs two GPUs")
    for words, wanted in ((["3"], True), (["1"], False), (["3", "in turn"], False)):
        recording = t.record([t.cuda_program("uneven"), *words], env={**t.gpu_environment(), "SIMGPU_DEVICES": "2", "SIMGPU_DURATIONS": "*=5ms"})
        report = json.loads(t.run([t.syncline, "report", recording.directory, "--format", "json", "--all"]).out)
        found = [finding for finding in report["findings"] if finding["kind"] == "imbalance"]
        t.equal(len(found), int(wanted), f"{words}: {report['findings']}")
        if wanted:
            computing = [device["computing_ms"] for device in report["devices"]]
            t.check(found[0]["where"].startswith("device 1: "), found)
            t.equal(round(found[0]["gain_ms"], 3), round(max(computing) - sum(computing) / 2, 3), "so much earlier both would be done")
            t.check("cost" in found[0]["advice"], found)
