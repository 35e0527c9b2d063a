# SPDX-License-Identifier: Apache-2.0
"""--step-range names the steps of the report, and so what grows from one to the next; they are counted also where a gate leaves some out."""

import gzip
import itertools
import json
import os

LABELS = ("torch", "gpu")
MODES = ("launcher",)
TIMEOUT = 120


def test(t):
    env = t.torch_environment({"SIMGPU_DEVICES": "1"})
    for words in ([], ["kernels"]):
        program = [*t.torch_program("growing"), *words]
        told, steps = report(t, program, ["--step-range", "request"], env)
        t.equal((steps, [row["name"] for row in told["steps"]]), (list(range(16)), ["request"]), f"{words}")
        t.equal([(os.path.basename(row["where"].split(" ")[0]), row["bytes"], row["count"]) for row in told["memory_growth"]], [("growing.py:12", 13 << 22, 13)], f"{words}")
        told, _ = report(t, program, [], env)
        t.equal((told["steps"], told["memory_growth"]), ([], []), "nobody says what a step is")
    _, steps = report(t, program, ["--step-range", "request", "--steps", "3:8"], env)
    t.equal(steps, [3, 4, 5, 6, 7], "as the program counts")


def report(t, program, options, env):
    """What is told, and the numbers of steps."""
    recording = t.past_exit_race(lambda: t.record(program, options, env), env)
    t.equal(recording.ending, "status 0", f"{options}: {recording}")
    with gzip.open(os.path.join(recording.directory, "run", "rank-0.findings")) as file:
        series = json.load(file)["ranks"]["rank-0"]["steps"]
    numbers = [number for one in series for number in itertools.accumulate(map(int, one["number"].split()))]
    return json.loads(t.run([t.syncline, "report", recording.directory, "--format", "json"]).out), numbers
