# SPDX-License-Identifier: Apache-2.0
"""--torch ops around the ends of processes: workers of a DataLoader, a fork's child, operators of threads and functions that
run while the interpreter ends, a process that is killed inside a backward operator, tasks of TorchScript. Each process does what it does
without us, and each operator that had ended is there."""

from collections import Counter

LABELS = ("torch", "endings")
MODES = ("launcher",)
TIMEOUT = 240
OPTIONS = ["--torch", "ops"]


def test(t):
    t.simulated_only()
    workers(t)
    fork(t)
    leave(t)
    kill(t)
    jit(t)


def record(t, part, **how):
    env, command = t.torch_environment(), [*t.torch_program("operators_end"), part]
    bare = t.past_exit_race(lambda: t.run(command, env), env)
    recording = t.past_exit_race(lambda: t.record(command, OPTIONS, env, **how), env)
    t.equal((recording.out, recording.err, recording.ending), (bare.out, bare.err, bare.ending), part)
    t.equal(recording.losses(), {}, part)
    return recording.trace()


def counted(trace, name="logaddexp"):
    """By process."""
    return Counter(op.pid for op in trace.operators(name=f"aten::{name}"))


def parent(trace):
    return min(r.pid for r in trace.slices() if r.cat == "process")


def workers(t):
    trace = record(t, "workers")
    found = counted(trace)
    t.equal((len(found), sorted(found.values())), (4, [8] * 4), f"each of two workers, twice, has half of the items: {found}")
    t.check(parent(trace) not in found, f"{found}")
    names = [r.name for r in trace.ranges() if r.name.startswith("enumerate(DataLoader)")]
    t.equal(len(names), 2 * 5, "four batches and the end of them, twice")


def fork(t):
    trace = record(t, "fork")
    found, first = counted(trace), parent(trace)
    t.equal((found.pop(first), list(found.values())), (5, [5]), "operators of parent and child")
    [child] = trace.ranges(name="of the child")
    t.check(all(child.begin <= op.begin and op.end <= child.end for op in trace.operators() if op.pid == child.pid), "of the child, and not in its range")


def leave(t):
    trace = record(t, "exit")
    t.equal(sum(counted(trace, "atan2").values()), 4, "operators of atexit's functions")
    t.equal(sum(counted(trace, "hypot").values()), 1, "of what goes with the last module")
    t.equal(sum(counted(trace, "copysign").values()), 50, "of the thread that Python waits for")
    t.equal(sum(counted(trace, "fmod").values()), 1, "of the daemon thread")


def kill(t):
    trace = record(t, "kill", killed=True)
    t.equal(sum(counted(trace).values()), 7, "operators before the kill")
    ended = max(op.end for op in trace.operators(name="aten::logaddexp"))
    for name in ("DiesBackward", "autograd::engine::evaluate_function: DiesBackward"):
        [op] = trace.operators(name=name)
        t.check(op.end >= ended and "closed_by" in op.args, f"{op} was open")
    [around] = trace.ranges(name="killed here")
    t.check(around.end >= ended and "closed_by" in around.args, f"{around} was open")


def jit(t):
    trace = record(t, "jit")
    t.equal(sum(counted(trace).values()), 16, "operators of the tasks")
    t.check({op.tid for op in trace.operators(name="aten::logaddexp")} - {op.pid for op in trace.operators()}, "no task ran on a thread of its own")
