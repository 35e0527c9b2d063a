# SPDX-License-Identifier: Apache-2.0
"""PyTorch's own CUDA wheel trains: each operation of the truth file is in the trace once, each launch on its thread (autograd's
too) and in its NVTX range; the waits behind .item() are found, and no other."""

LABELS = ("gpu", "torch")
TIMEOUT = 240
SLOW = {"SIMGPU_DURATIONS": "*=400us"}  # kernels that outlast the host's own time, so that there is something to wait for


def launches(trace, thread):
    return [call for call in trace.calls() if call.tid == thread and "LaunchKernel" in call.name]


def test(t):
    recording, judged = t.record_torch("training", env=SLOW)
    t.said(recording, "wrote", "events of")
    t.equal(judged.waits("log"), [], "waits")
    for number in range(8):
        for name in ("input", "forward"):
            t.check(judged.staged[f"step {number} > {name}"] > 0, f"step {number} launched nothing in {name}")
    recording, judged = t.record_torch("training", "--item", env=SLOW)
    waits = judged.waits("log")
    t.equal([wait.args["class"] for wait in waits], ["legacy_stream"] * 8, "waits behind 8 times .item()")
    autograd(t)


def autograd(t):
    """emit_nvtx puts a range around each operation: also around those of autograd's thread, which launches all of backward."""
    recording, judged = t.record_torch("training", "--nvtx", "4")
    trace = recording.trace()
    threads = {row["thread"] for row in judged.launched}
    t.equal(len(threads), 2, "threads that launch")
    [main] = {r.tid for r in trace.ranges(name="forward")}
    [other] = threads - {main}
    ranges = [r for r in trace.ranges() if r.tid == other]
    found = launches(trace, other)
    t.check(len(found) > 50, f"{len(found)} launches of autograd's thread")
    for call in found:
        around = [r for r in ranges if r.begin <= call.begin and call.end <= r.end]
        t.check(around, f"{call} is in no range")
        t.check("Backward" in around[0].name or "AccumulateGrad" in around[0].name, f"{call} is in {around[0]}")
