# SPDX-License-Identifier: Apache-2.0
"""The report's table of operators: as many calls as the trace has, and all that PyTorch gave to the GPU is some operator's own."""

import collections
import json

LABELS = ("torch", "gpu")
MODES = ("launcher",)
TIMEOUT = 120
KERNEL = ("kernel", "gpu_memcpy", "gpu_memset")


def test(t):
    t.simulated_only()
    recording = t.record([*t.torch_program("small_training"), "3", "cuda"], ["--torch", "ops"], t.torch_environment({"UNCOMPILED": "1"}))
    trace = recording.trace()
    called = collections.Counter(event["name"] for event in trace.events if event.get("cat") == "cpu_op")
    rows = json.loads(t.run([t.syncline, "report", "--no-files", "--format", "json", recording.directory]).out)["operators"]
    t.equal({row["name"]: row["count"] for row in rows}, dict(called), "calls by name")
    given = [event for event in trace.events if event.get("cat") in KERNEL]
    t.equal(sum(row["own_launched"] for row in rows), len(given), "operations of the GPU")
    device_ms = sum(event["dur"] for event in given) / 1000
    told_ms = sum(row["own_device_ms"] for row in rows)
    t.check(abs(told_ms - device_ms) <= 0.001 * device_ms, f"their time: {told_ms} ms told, {device_ms} ms in the trace")
    for row in rows:
        for kind in ("host_ms", "device_ms", "blocked_ms", "launched"):
            t.check(row[f"own_{kind}"] <= row[kind], f"{row}")
    convolution = next(row for row in rows if row["name"] == "aten::conv2d")
    t.check(convolution["own_device_ms"] == 0 < convolution["device_ms"], f"{convolution}: its kernels are of an operator within")
