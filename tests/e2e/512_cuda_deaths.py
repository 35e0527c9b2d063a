# SPDX-License-Identifier: Apache-2.0
"""Device records of a process that is killed are kept but for the last two seconds, all of them where the GPU has been idle, and those
that are lost are counted, each; of every other ending all are kept, and it is the ending of the program alone."""

import json
import os
import signal
import time

from gpu_truth import Comparison, counted, rows_of, under_way, undelivered

LABELS = ("gpu",)
TIMEOUT = 300
WAITS = True
BEHIND_NS = 2_000_000_000
# How many operations a program gives the GPU before it kills itself.
GIVEN_BEFORE_KILL = {"kill": 2, "owing": 6}
ENDINGS = ("", "destructor", "_exit", "exit", "fork", "first_leaves", "first_leaves_idle")


def operations(path):
    rows = rows_of(path)
    return [row for row in rows if row["op"] == "kernel"]


def test(t):
    t.simulated_only("a real GPU writes no truth file")
    for how in ENDINGS:
        recording, truth = ended(t, how)
        counted(t, recording, truth, how, kind="gpu_unfinished")
    recording, _ = ended(t, "syscall", killed=True)
    t.equal((recording.status, recording.losses(), len(recording.trace().device_ops())), (5, {}, 2), "a GPU that had nothing to do for a while")
    waited_for_long(t)
    threads(t)
    for how, given in GIVEN_BEFORE_KILL.items():
        truth = t.path(f"{how}.truth")
        env = {**t.gpu_environment(), "SIMGPU_TRUTH": truth}
        recording = t.record([t.cuda_program("endings"), how], env=env, killed=True)
        lost = counted(t, recording, truth, how)
        t.equal(len(recording.trace().device_ops()) + len(lost), given, f"{how}: what is there or lost")
    killed(t)
    hung(t)


def ended(t, how, environment=(), **more):
    truth = t.path(f"{how}.truth")
    program = [t.cuda_program("endings"), how]
    return t.record(program, env={**t.gpu_environment(), "SIMGPU_TRUTH": truth, **dict(environment)}, **more), truth


def waited_for_long(t):
    """Two kernels bring no news for twelve seconds, so CUPTI is asked once a second only. The wait for them ends that: the records are
    there when the process is gone 0.7 s later."""
    recording, _ = ended(t, "syscall", {"SIMGPU_DURATIONS": "*=6100ms"}, killed=True)
    t.equal((recording.status, recording.losses(), len(recording.trace().device_ops())), (5, {}, 2), "kernels that last six seconds")


def threads(t):
    """Four threads launch for as long as the process lives. What they launch while CUPTI hands over the last records counts as lost,
    also where its record came in time: the count is at least what is missing."""
    recording, truth = ended(t, "threads")
    trace, losses = recording.trace(), recording.losses()
    missing, cut = undelivered(trace, truth), under_way(trace)
    t.equal(set(losses) - {"gpu_unfinished"}, set(), "losses")
    t.check(len(missing) <= losses.get("gpu_unfinished", 0), f"{losses}, but without record are {sorted(missing)}")
    t.check(len(cut) <= 4, f"four threads died in calls {sorted(cut)}")
    compared = Comparison(trace.path, truth, lost=missing | cut)
    t.equal(compared.faults, [], "threads")
    t.check(compared.matched > 0, "threads: nothing of it is there")


def killed(t):
    """launch_rate keeps the GPU busy but for a moment every 500 kernels."""
    truth = t.path("killed.truth")
    gpu = {**t.gpu_environment(), "SIMGPU_TRUTH": truth, "SIMGPU_DURATIONS": "*=3ms"}
    directory = t.new_directory()
    running = t.start(t.launch([t.cuda_program("launch_rate"), "5000"], directory=directory), {**t.mode_environment(), **gpu})
    t.until(lambda: os.path.exists(truth) and len(operations(truth)) > 1500, "kernels")
    moment = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    pid = json.loads(open(truth).readline())["pid"]
    os.kill(pid, signal.SIGKILL)
    recording = t.finish(running.wait(60), directory, killed=True)
    ended = [row for row in operations(truth) if row["end_ns"] < moment - BEHIND_NS]
    found = {r.args["correlation"] - 65536 for r in recording.trace().device_ops()}
    missing = [row["correlation"] for row in ended if row["correlation"] not in found]
    t.check(len(ended) > 100, f"only {len(ended)} kernels ended more than two seconds before the kill")
    t.equal(missing, [], "kernels that ended more than two seconds before the kill")
    t.check(counted(t, recording, truth, "killed"), "nothing was lost: the loss was not tried")


def hung(t):
    """A wait for a kernel that never ends, in a process that is killed there."""
    truth = t.path("hung.truth")
    env = {**t.mode_environment(), **t.gpu_environment(), "SIMGPU_TRUTH": truth, "SIMGPU_FAULT": "kernel_never=30"}
    directory = t.new_directory()
    running = t.start(t.launch([t.cuda_program("training_step"), "50"], directory=directory), env)
    t.until(lambda: os.path.exists(truth) and '"wait_begun"' in open(truth).read(), "a wait")
    time.sleep(0.5)
    rows = rows_of(truth)
    os.kill(rows[0]["pid"], signal.SIGKILL)
    recording = t.finish(running.wait(60), directory, killed=True)
    t.check(counted(t, recording, truth, "hung"), "the kernel that never ended is not lost")
    trace = recording.trace()
    [begun] = [row for row in rows if row["op"] == "wait_begun"]
    [wait] = [w for w in trace.waits() if w.args.get("unfinished")]
    t.equal((wait.args["call"], wait.args["class"]), (begun["call"], begun["class"]), "the wait")
    t.check(wait.end - wait.begin > 0.4e9, f"{wait}")
    [call] = [c for c in trace.calls(name=begun["call"]) if "reason" in c.args]
    t.equal(call.args["correlation"] - 65536, begun["correlation"], "the call that did not return")
    if t.mode == "launcher":  # else nobody saw how it ended
        [ending] = json.loads(t.run([t.syncline, "report", directory, "--format", "json"]).out)["endings"]
        t.equal((ending["how"], ending["call"]), ("killed by signal 9 (KILL)", begun["call"]), f"{ending}")
        t.check("training_step.cu:" in ending["where"] and ending["open_ms"] > 400, f"{ending}")
