# SPDX-License-Identifier: Apache-2.0
"""Autograd's thread waits and launches on behalf of the line that called backward(), and says so; while two calls are under way it says
neither. The lines say themselves which is which."""

import os
import re

LABELS = ("gpu", "torch")
TIMEOUT = 180
TURNS = 3  # as the program has them
BETWEEN = " < (on behalf of) < "


def test(t):
    command = t.torch_program("backward")
    kinds = {"alone": set(), "met": set(), "inside": set()}
    with open(command[-1]) as file:
        for number, line in enumerate(file, 1):
            if (mark := line.rstrip().rpartition("  # ")[2]) in kinds:
                kinds[mark].add(number)
    waits = calls_of_autograd(t, command, [])
    judge(t, kinds, waits)
    launches = calls_of_autograd(t, command, ["--stacks", "launches"])
    judge(t, kinds, launches)
    told = {line_of(call) for call in launches if call.name == "cudaLaunchKernel"}
    t.check(kinds["alone"] <= told, f"lines of launches: {told}")
    of_hooks = {line_of(call) for call in launches if call.args["where"].endswith("Again.backward()")}
    t.check(kinds["inside"] <= of_hooks, f"lines of a function's own backward: {of_hooks}")
    python = calls_of_autograd(t, command, ["--no-stack-native"])
    t.equal({line_of(call) for call in python if call.name == "cudaStreamSynchronize"}, kinds["alone"], "lines without native frames")
    t.equal(calls_of_autograd(t, command, ["--stacks", "none"]), [], "calls with a stack, though none was asked for")


def calls_of_autograd(t, command, options):
    """Those of its threads that bear a stack."""
    env = t.torch_environment()
    recording = t.past_exit_race(lambda: t.record(command, options, env=env), env)
    t.equal((recording.ending, recording.out), ("status 0", b"done\n"), str(recording))
    t.equal(recording.losses(0), {}, "losses")
    t.equal([process.get("log", "") for process in recording.manifest()["processes"]], [""], "log")
    trace = recording.trace(0)
    threads = {key for key, name in trace.thread_names().items() if name.startswith("pt_autograd")}
    t.check(threads, f"autograd has no thread: {trace.thread_names()}")
    return [call for call in trace.calls() if (call.pid, call.tid) in threads and "where" in call.args]


def line_of(call):
    match = re.fullmatch(r".*backward\.py:(\d+) .*", call.args["where"])
    return int(match[1]) if match else None


def judge(t, kinds, calls):
    syncs = [call for call in calls if call.name == "cudaStreamSynchronize"]
    t.equal({line_of(call) for call in syncs} - {None}, kinds["alone"], "lines that wait on autograd's thread")
    t.equal(sum(line_of(call) is None for call in syncs), 2 * TURNS, "waits of calls that met, which nobody can tell apart")
    for call in calls:
        t.check(line_of(call) not in kinds["met"], f"a line of two that were under way: {call.args}")
        lent = BETWEEN in call.args["stack"]
        t.equal(lent, line_of(call) in kinds["alone"], f"on behalf of a line: {call.args}")
        if lent:
            helper, caller = call.args["stack"].split(BETWEEN)
            t.check(os.path.basename(t.torch_program("backward")[-1]) not in helper, f"its own frames are native: {helper}")
            t.check(caller.endswith("<module>"), f"the caller's stack is whole: {caller}")
