# SPDX-License-Identifier: Apache-2.0
"""Level Zero graphs: each execution is a call and is counted, as its kernels are not in the trace. What is recorded into a graph is no work of
its own, and work before and behind graphs has its own times."""

import subprocess
from collections import Counter

LABELS = ("gpu",)
LOST = "Level Zero graphs were executed, whose kernels and copies are not in the trace"


def test(t):
    t.simulated_only("the durations are those of the simulation")
    gpu = {**t.gpu_environment(), "SIMGPU_DURATIONS": "captured*=2ms,*=300us"}
    recording = t.record(t.level_zero_program("graphs"), env=gpu)
    t.equal((recording.out, recording.losses()), (b"OK\n", {"ze_graph": 4}), f"{recording}")
    t.said(recording, "lost: 4 ", LOST.lower())
    trace = recording.trace()
    kernels = [op for op in trace.device_ops() if op.cat == "kernel"]
    t.equal(Counter(op.name for op in kernels), Counter({"before": 1, "behind": 8}), "kernels")
    wrong = [op for op in kernels if not 250_000 < op.end - op.begin < 1_000_000]
    t.equal(wrong, [], "kernels with the times of a graph")
    t.equal(sum(call.name == "zeCommandListAppendGraph" for call in trace.calls()), 4, "calls")
    needless = [wait for wait in trace.waits() if wait.args["already_done"] and wait.end - wait.begin > 1_000_000]
    t.equal(needless, [], "waits for graphs that are told as needless")
    report = subprocess.run([t.syncline, "report", recording.directory], capture_output=True, text=True).stdout
    t.check(LOST in " ".join(report.split()), report)
    open_one = t.record([*t.level_zero_program("graphs"), "open"], env=gpu)
    t.equal(open_one.losses(), {}, f"what is recorded and never executed is no loss: {open_one}")
    t.equal([op.name for op in open_one.trace().device_ops()], ["before"], "kernels of what was never executed")
