# SPDX-License-Identifier: Apache-2.0
"""The device time of a region on Level Zero: what is appended at once is complete, a list may hold any number of operations."""

from chrome_trace import busy_with_launched

LABELS = ("gpu",)


def test(t):
    t.simulated_only("the durations are those of the simulation")
    recording = t.record(t.level_zero_program("device_time"), env={**t.gpu_environment(), "SIMGPU_DURATIONS": "*=100us"})
    trace = recording.trace()
    immediate, executed = (busy_with_launched(trace, trace.ranges(name=name)[0]) for name in ("immediate", "executed"))
    t.check(immediate > 200_000 and executed == 300_000, f"{immediate}, {executed}")
    lines = recording.out.decode().splitlines()
    t.equal(lines, [f"immediate complete {immediate}", "recorded unknown 0", f"executed at-least {executed}", "OK"], f"{recording}")
