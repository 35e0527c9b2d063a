# SPDX-License-Identifier: Apache-2.0
"""What cannot be meant is an error before the program starts, with the nearest right form; a process without a launcher says it in its
log and records."""

LABELS = ("thin",)
MODES = ("launcher",)
STEP = ["--step-range", "step*"]
BAD = [
    ([*STEP, "--steps", "8:5"], "did you mean 5:8?"),
    ([*STEP, "--steps", "5-8"], "did you mean 5:8?"),
    ([*STEP, "--steps", "5"], "did you mean 5:6?"),
    ([*STEP, "--steps", "all"], "is no window of steps. It is written FIRST:END"),
    ([*STEP, "--schedule", "wait=1 warmpu=1 active=2"], "did you mean warmup?"),
    ([*STEP, "--schedule", "wait=1 active=x"], "active=x in --schedule is no number"),
    ([*STEP, "--schedule", "wait=1 warmup=1"], "records no step: add active=1"),
    ([*STEP, "--steps", "1:2", "--schedule", "active=1"], "give one of them"),
    (["--gate", "stages"], "--gate stages needs --stages"),
    (["--gate", "cuda-profiler", "--stages", "x"], "give one of them"),
    (["--gate", "profiler"], "cuda-profiler"),
    (["--stages", ","], "names no range"),
    (["--stages", ",".join(f"s{i}" for i in range(65))], "names 65 patterns, and 64 are the most"),
    (["--stage-scope", "rank"], "process and thread"),
    (["--delay", "soon"], "--delay"),
]


def test(t):
    for options, words in BAD:
        result = t.run([t.syncline, *options, "-o", t.path("none"), "--", t.victim("hello")])
        t.equal((result.status, result.out), (125, b""), f"{options}: {result}")
        t.said(result, words)
    by_variable = t.run([t.syncline, "-o", t.path("none"), "--", t.victim("hello")], {"SYNCLINE_STEPS": "2:1"})
    t.equal(by_variable.ending, t.run([t.victim("hello")]).ending, f"{by_variable}")  # the line was understood
    t.said(by_variable, "nothing is recorded")
