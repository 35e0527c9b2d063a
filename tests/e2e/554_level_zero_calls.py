# SPDX-License-Identifier: Apache-2.0
"""--level-zero-api full records each call of a program once, also those that only ask or make an object; short leaves these out."""

import os
import re

LABELS = ("gpu",)
MODES = ("launcher",)
SOURCES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "simulated_gpu", "level_zero", "programs")
# What the loader answers for itself, before its tables are asked for.
LOADERS_OWN = {"zelEnableTracingLayer", "zelLoaderGetVersions"}


def test(t):
    t.simulated_only("the simulated driver's programs")
    for program in ("kernels", "memory", "events", "extensions"):
        called = names(f"{program}.c")
        full, short = (calls(t, program, words) for words in ("full", "short"))
        t.equal(called - set(full) - LOADERS_OWN, set(), f"{program}: calls that full does not show")
        t.check(set(short) < set(full), f"{program}: short shows {set(short) - set(full)} and as much as full")
        t.equal({name: full[name] for name in short}, short, f"{program}: calls that both show")


def names(source):
    with open(os.path.join(SOURCES, source), encoding="utf-8") as text:
        return set(re.findall(r"\b(ze[A-Z]\w+)\(", text.read()))


def calls(t, program, words):
    recording = t.record(t.level_zero_program(program), ["--level-zero-api", words], env=t.gpu_environment())
    t.equal(recording.status, 0, f"{program}: {recording}")
    (process,) = recording.manifest()["processes"]
    (gpu,) = process["gpu"]  # the way in
    t.check(re.fullmatch(r"the loader's tables of API 1\.\d+", gpu["why"]), str(gpu))
    t.check(gpu["recorded"] == "Level Zero" and process["begin_ns"] <= gpu["begin_ns"] < gpu["end_ns"], str(process))
    t.equal({kind for kind in recording.losses() if not kind.startswith("ze_event")}, set(), program)
    counts = {}
    for event in recording.trace().events:
        if event.get("cat") == "xpu_runtime":
            counts[event["name"]] = counts.get(event["name"], 0) + 1
    return counts
