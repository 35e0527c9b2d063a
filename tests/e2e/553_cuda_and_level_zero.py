# SPDX-License-Identifier: Apache-2.0
"""CUDA and Level Zero in one process: both devices are in the trace, each wait has its own cause, and no id is mixed."""

import os
import sys

from chrome_trace import DEVICE_CATS

LABELS = ("gpu",)
TIMEOUT = 120
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def test(t):
    t.simulated_only("the simulated devices")
    t.level_zero_program("immediate")  # there is a driver
    script = os.path.join(ROOT, "simulated_gpu", "level_zero", "programs", "through_ctypes.py")
    env = {**t.gpu_environment(), "SIMGPU_DURATIONS": "*=2ms"}
    recording = t.record([sys.executable, t.victim("two_gpus.py"), script], env=env)
    t.equal((recording.status, recording.losses()), (0, {}), f"{recording}")
    trace = recording.trace()
    work = {}
    for op in trace.device_ops():
        work.setdefault(op.pid, []).append(op)
    names = {trace.process_names()[pid].split("GPU 0", 1)[1]: [op.name for op in ops] for pid, ops in work.items()}
    t.equal(len(names), 2, f"devices: {names}")
    kinds = sorted({op.cat for op in ops} == {"kernel"} for ops in work.values())
    t.equal(kinds, [False, True], f"kernels on one, sets on the other: {names}")
    correlations = [{op.args["correlation"] for op in ops} for ops in work.values()]
    t.check(not correlations[0] & correlations[1], f"{correlations}")
    for call, cats in (("cudaStreamSynchronize", ("gpu_memset",)), ("ze", ("kernel",))):
        waits = [wait for wait in trace.waits() if wait.args["call"].startswith(call) and wait.args["waited_for"]]
        t.check(waits, f"no wait of {call}")
        for wait in waits:
            [op] = [op for op in trace.slices() if op.cat in DEVICE_CATS and op.args["correlation"] == wait.args["waited_for"]]
            t.check(op.cat in cats, f"{wait} is for {op}")
