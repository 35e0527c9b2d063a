# SPDX-License-Identifier: Apache-2.0
"""A pipeline of stages in ranges: the waits behind nonzero, print(tensor), .cpu(), .tolist() and copies from pageable memory are found
in their stages with their classes."""

from collections import Counter

LABELS = ("gpu", "torch")
TIMEOUT = 240
STEPS = 4


def test(t):
    recording, judged = t.record_torch("pipeline", str(STEPS), env={"SIMGPU_DURATIONS": "*=400us"})
    trace = recording.trace()
    classes = {name: Counter(wait.args["class"] for wait in judged.waits(name)) for name in ("noise", "watch", "show", "save")}
    t.check(classes["watch"]["legacy_stream"] == STEPS, f"nonzero: {classes['watch']}")
    t.check(classes["noise"]["pageable_copy"] == 1, f"a copy of 1 MiB from pageable memory: {classes['noise']}")
    t.check(classes["show"]["legacy_stream"] > 0, f"print(tensor): {classes['show']}")
    t.check(classes["save"]["pageable_copy"] == 2, f".cpu() and .tolist(): {classes['save']}")
    stages = [r for r in trace.ranges() if r.name.startswith("denoise")]
    t.equal([r.name for r in stages], [f"denoise {number}" for number in range(STEPS)], "stages")
