# SPDX-License-Identifier: Apache-2.0
"""A rank that never meets the others: PyTorch's watchdog gives the communicator up, the job fails as it does without us, and the
traces hold the kernel that waited and the host's wait behind it, or count them as lost."""

import json

import torchrun
from gpu_truth import FIRST_CORRELATION, counted

LABELS = ("gpu", "torch")
TIMEOUT = 400
RANKS, PATIENCE_S = 2, 3


def test(t):
    t.need_gpus(2)
    # torchrun ends the other rank when it sees that one has failed; it looks seldom, so that mostly both fail by themselves.
    env = {"SIMGPU_FAULT": "nccl_dead=1", "PATIENCE_S": str(PATIENCE_S), "PET_MONITOR_INTERVAL": "4"}
    env = t.torch_environment(env)
    recording = torchrun.record(t, "ddp_nccl", RANKS, env=env)
    t.equal(recording.ending, "status 1", f"{recording}")
    t.check(b"timeout watchdog" in recording.err + recording.out, f"{recording}")
    t.equal(recording.ranks(), list(range(RANKS)), f"traces: {recording}")
    t.check(any([judge(t, recording, rank, env) for rank in range(RANKS)]), f"no rank failed by itself: {recording}")


def judge(t, recording, rank, env):
    """Whether the rank failed by itself: then all is there. Of one that torchrun ended by SIGTERM, what is missing is counted."""
    trace = recording.trace(rank)
    path = t.truth(trace, env)
    [process] = recording.manifest(rank)["processes"]
    lost = counted(t, recording, path, f"rank {rank}", rank)
    if process["exit"]["kind"] != "exited":
        t.check(b"process %d closing signal SIGTERM" % process["pid"] in recording.err, f"who ended rank {rank}? {recording}")
        return False
    t.equal(lost, set(), f"what rank {rank} lost though it reached its exit")
    judge_hung(t, trace, path, rank)
    return True


def judge_hung(t, trace, path, rank):
    """The kernel that the rank gave up."""
    with open(path) as file:
        aborted = [row for row in map(json.loads, file) if row["op"] == "collective" and row["aborted"]]
    t.equal(len(aborted), 1, f"kernels of rank {rank} that were given up")
    correlation = aborted[0]["correlation"] + FIRST_CORRELATION
    [hung] = [op for op in trace.device_ops(cat="kernel") if op.args["correlation"] == correlation]
    t.check(hung.end - hung.begin > PATIENCE_S * 1e9, f"given up too early: {hung}")
    waits = [w for w in trace.waits() if w.begin < hung.end <= w.end and w.end - w.begin > (hung.end - hung.begin) / 2]
    t.check(waits, f"nobody waited for {hung}: {trace.waits()}")
