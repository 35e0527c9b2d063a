# SPDX-License-Identifier: Apache-2.0
"""Operators by the sizes of their inputs: as many calls of each as torch.profiler(record_shapes=True) groups in a run of its own. A run without
inputs says that it has none."""

import collections
import json

LABELS = ("torch",)
MODES = ("launcher",)
TIMEOUT = 120


def test(t):
    t.simulated_only()
    env, theirs, program = t.torch_environment(), t.path("theirs.json"), [*t.torch_program("rates"), "2"]
    done = t.past_exit_race(lambda: t.run([*t.torch_program("under_profiler"), "--shapes", theirs, *program[3:]], env), env)
    t.equal(done.ending, "status 0", f"torch.profiler: {done}")
    with open(theirs) as file:
        events = [event for event in json.load(file)["traceEvents"] if event.get("cat") == "cpu_op"]
    wanted = collections.Counter((event["name"], str(event["args"].get("Input Dims", []))) for event in events)
    recording = t.past_exit_race(lambda: t.record(program, ["--torch", "shapes"], env), env)
    rows = json.loads(report(t, recording, "--format", "json").out)["operators"]
    t.equal({(row["name"], row["shapes"]): row["count"] for row in rows}, dict(wanted), "calls by name and sizes")
    bare = t.past_exit_race(lambda: t.record(program, ["--torch", "ops"], env), env)
    t.said(report(t, bare), "the run has no inputs of operators")


def report(t, recording, *options):
    return t.run([t.syncline, "report", "--no-files", "--by-shape", *options, recording.directory])
