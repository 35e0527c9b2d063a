# SPDX-License-Identifier: Apache-2.0
"""A Level Zero program ends as it would without Syncline: events that never signal, storms of resets, threads on one list, work in flight at
every kind of end, a lost device, forks, Python's ctypes. What had no times by then is counted."""

import os
import sys

LABELS = ("gpu",)
TIMEOUT = 300
RUNS = (("endings",), ("endings", "exit"), ("endings", "_exit"), ("endings", "thread"), ("endings", "first_leaves"), ("endings", "late"), ("endings", "kill"), ("endings", "timeout"),
        ("endings", "reset"),
        ("traced",), ("forked",), ("leaky",), ("churn", "300"), ("threads",), ("events",), ("regular_lists",), ("launch_rate", "3"), ("launch_rate", "3", "events"),
        ("faults", "memory"), ("faults", "image"), ("faults",))
FAULTS = (("ze_hang=*", ("faults",)), ("kernel_never=2", ("faults",)), ("ze_device_lost=2", ("immediate",)), ("ze_out_of_memory=1", ("memory",)),
          ("no_device", ("immediate",)))


def test(t):
    t.simulated_only("the faults are those of the simulation")
    for words in RUNS:
        same_as_alone(t, words, {})
    for fault, words in FAULTS:
        same_as_alone(t, words, {"SIMGPU_FAULT": fault})
    recording = t.record([*t.level_zero_program("endings"), "syscall"], env=t.gpu_environment(), killed=True)
    t.equal((recording.status, recording.losses(), len(recording.trace().device_ops())), (5, {}, 2), "a device that had nothing to do for a while")
    ctypes(t)
    deepbind(t)


def same_as_alone(t, words, more):
    command = [*t.level_zero_program(words[0]), *words[1:]]
    env = {**t.gpu_environment(), **more}
    alone = t.run(command, env, timeout=60)
    recorded = t.record(command, env=env, complete=False, killed="kill" in words)
    t.equal((recorded.status, recorded.out), (alone.status, alone.out), f"{words}, {more}: {recorded}")


def ctypes(t):
    """A loader that Python opened."""
    folder = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    script = os.path.join(folder, "tests", "simulated_gpu", "level_zero", "programs", "through_ctypes.py")
    recording = t.record([sys.executable, script], env={**t.gpu_environment(), "SIMGPU_DURATIONS": "*=2ms"})
    t.equal((recording.status, recording.losses()), (0, {}), f"{recording}")
    t.equal(len([op for op in recording.trace().device_ops() if op.cat == "kernel"]), 3, "kernels")
    t.check([wait for wait in recording.trace().waits() if not wait.args["already_done"]], "no wait")


def deepbind(t):
    """A loader whose calls of itself stay inside: the program runs, and the run says that nothing was recorded."""
    recording = t.record([*t.level_zero_program("loaded"), "deepbind"], env=t.gpu_environment(), complete=False)
    t.equal((recording.status, recording.out), (0, b"OK\n"), f"{recording}")
    t.said(recording, "nothing was recorded")
