# SPDX-License-Identifier: Apache-2.0
"""Programs with one known problem each can be recorded, and the recording has it: the costliest line that waits is the one that the
table names, with its class, and the rank that comes last is the table's. Of a program without a problem no step waits in vain."""

import json
from collections import Counter

import problems

LABELS = ("gpu", "torch")
MODES = ("launcher",)
TIMEOUT = 300
IDLE = 0.2  # of the time of its steps, which no program without a problem leaves its device without kernels


def test(t):
    t.simulated_only("kernels take what the table says, and the truth file tells of ranks")
    for problem in problems.PROBLEMS:
        env = {"SIMGPU_TRUTH": t.path(f"{problem.name}.%p.truth")}
        recording = problems.record(t, problem, env)
        if problem.rank is not None:
            check_rank(t, problem, recording, env)
            continue
        trace = recording.trace()
        steps = trace.ranges(name="step")
        t.check(len(steps) >= 20, f"{problem.name}: {len(steps)} steps")
        if problem.problem is None:
            check_busy(t, problem, trace, steps)
            continue
        t.check(any(r.name == problem.range for r in trace.ranges()), f"{problem.name}: no range {problem.range}")
        file, number = problems.line_of(problem)
        if problem.wait_class is not None:
            where, name = costliest(trace)
            t.check(where.startswith(f"{file}:{number} "), f"{problem.name}: {where}, not line {number}")
            t.equal(name, problem.wait_class, f"{problem.name}: class")


def costliest(trace):
    """The line and the class of the waits in steps that took longest together."""
    took = Counter()
    for wait in trace.waits():
        if wait.args.get("ranges", "").startswith("step"):
            took[wait.args["where"], wait.args["class"]] += wait.end - wait.begin
    return took.most_common(1)[0][0]


def check_busy(t, problem, trace, steps):
    """The device has kernels nearly all the time of the steps, or there is none."""
    kernels = trace.device_ops(cat="kernel")
    if problem.program.startswith("victim"):
        t.equal((kernels, trace.waits()), ([], []), problem.name)
        return
    begin, end = steps[0].begin, max(kernel.end for kernel in kernels)
    busy = sum(kernel.end - max(kernel.begin, begin) for kernel in kernels if kernel.end > begin)
    t.check(busy > (1 - IDLE) * (end - begin), f"{problem.name}: kernels ran {busy} of {end - begin} ns")


def check_rank(t, problem, recording, env):
    """Whom the others waited for longest, by the truth files of the ranks, when all had begun."""
    t.equal(recording.ranks(), list(range(problem.ranks)), problem.name)
    waited = Counter()
    for rank in range(problem.ranks):
        with open(t.truth(recording.trace(rank), env)) as file:
            for row in map(json.loads, file):
                if row["op"] == "collective" and row["ranks"] == problem.ranks and row["sequence"] > 1:
                    waited[row["last_rank"]] += max(0, row["last_ns"] - row["start_ns"])
    t.equal(waited.most_common(1)[0][0], problem.rank, f"{problem.name}: {waited}")
