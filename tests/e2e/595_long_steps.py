# SPDX-License-Identifier: Apache-2.0
"""A step takes as long as its GPU needs for it, where the program runs ahead; one that takes longer names what it has more of, and the command
that opens it."""

import json

LABELS = ("gpu", "torch")
MODES = ("launcher",)
MEDIAN_MS = 10  # five kernels of 2 ms
# By word: the steps that are longer, and how that begins and ends.
LONG = {"data": ("host busy at ", " <module>"), "memory": ("host busy at ", " more()"), "sort": ("computing: ", "")}


def test(t):
    t.simulated_only("kernels take what the table says")
    steps = steps_of(t, "ahead")
    t.check(MEDIAN_MS <= steps["median_ms"] < 1.2 * MEDIAN_MS, f"not as long as its range: {steps}")
    t.check(all(row["number"] in (0, 99) for row in steps["outliers"]), f"a wait that costs nothing: {steps}")
    for word, (begins, ends) in LONG.items():
        outliers = {row["number"]: row for row in steps_of(t, word)["outliers"]}
        shift = 1 if word == "data" else 0  # what lies between two ranges belongs to the first
        for number in (19 - shift, 39 - shift, 59 - shift, 79 - shift):
            row = outliers.get(number)
            t.check(row is not None, f"{word}: step {number} of {sorted(outliers)}")
            t.check(row["longer_by"].startswith(begins) and row["longer_by"].endswith(ends), f"{word}: {row}")
            t.check(row["longer_by_ms"] > 5, f"{word}: {row}")
            t.check(row["view"].startswith("--rank 0 --at "), f"{word}: {row}")


def steps_of(t, word):
    env = t.torch_environment({"SIMGPU_DURATIONS": "*gemm*=2ms,*ort*=20ms,*=10us"})
    recording = t.record([*t.torch_program("long_steps"), word], env=env)
    told = json.loads(t.run([t.syncline, "report", recording.directory, "--format", "json"]).out)
    text = t.run([t.syncline, "report", recording.directory]).out.decode()
    t.equal("\nOutliers" in text, bool(told["steps"][0]["outliers"]), f"{word}: the text has a table: {text}")
    return told["steps"][0]
