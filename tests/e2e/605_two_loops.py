# SPDX-License-Identifier: Apache-2.0
"""Two threads with steps of other names: a step takes as long as its own thread is in it, and a longer one does not tell the other thread's
work."""

import json

LABELS = ("gpu", "torch")
MODES = ("launcher",)
SLEPT_MS = 60
LONGER_BY = {"apart": "host busy at ", "shared": "in no recorded call"}


def test(t):
    t.simulated_only("kernels take what the table says")
    for how, longer_by in LONGER_BY.items():
        recording = t.record([*t.torch_program("two_loops"), how], env=t.torch_environment({"SIMGPU_DURATIONS": "*gemm*=200us,*=10us", "SIMGPU_DEVICES": "2"}))
        t.run([t.syncline, "report", recording.directory])
        with open(f"{recording.directory}/report/timing.json") as file:
            told = {series["name"]: series for series in json.load(file)["steps"]}
        t.equal({name: series["count"] for name, series in told.items()}, {"step #": 40, "iter # of #": 20}, how)
        ranges = {one.name: one.end - one.begin for one in recording.trace().ranges()}
        for series, name in (("step #", "step {}"), ("iter # of #", "iter {} of 20")):
            for number, _, duration in told[series]["steps"]:
                t.check(ranges[name.format(number)] <= duration, f"{how}: {series} {number} is shorter than its range")
            whole = sum(duration for _, _, duration in told[series]["steps"])
            in_ranges = sum(length for range, length in ranges.items() if range.startswith(name[:4]))
            t.check(whole < 1.3 * in_ranges, f"{how}: {series}: {whole} ns, in its ranges {in_ranges} ns: the other thread's work counts")
        (slept,) = (row for row in told["step #"]["outliers"] if row["number"] == 20)
        t.check(slept["longer_by"].startswith(longer_by), f"{how}: {slept}")
        t.check(0.7 * SLEPT_MS < slept["longer_by_ms"] < slept["duration_ms"], f"{how}: {slept}")
