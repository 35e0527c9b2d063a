# SPDX-License-Identifier: Apache-2.0
"""A rank that never meets the others: PyTorch's watchdog gives the communicator up, the job fails as it does without us, and the
traces hold the kernel that waited and the host's wait behind it."""

import json

import torchrun
from gpu_truth import FIRST_CORRELATION, Comparison

LABELS = ("gpu", "torch")
TIMEOUT = 400
RANKS, PATIENCE_S = 2, 3


def test(t):
    # torchrun ends the other rank when it sees that one has failed; what a GPU did in the moments before a SIGTERM is lost, so it
    # looks seldom enough for both to fail by themselves.
    env = {"SIMGPU_FAULT": "nccl_dead=1", "PATIENCE_S": str(PATIENCE_S), "PET_MONITOR_INTERVAL": "4"}
    env = t.torch_environment(env)
    recording = torchrun.record(t, "ddp_nccl", RANKS, env=env)
    t.equal(recording.ending, "status 1", f"{recording}")
    t.check(b"timeout watchdog" in recording.err + recording.out, f"{recording}")
    t.equal(recording.ranks(), list(range(RANKS)), f"traces: {recording}")
    for rank in range(RANKS):
        trace = recording.trace(rank)
        path = t.truth(trace, env)
        # Of a process that dies, copies are lost that lie in a buffer which CUPTI has not given back (docs/cuda.md); no kernel may be.
        faults = [fault for fault in Comparison(trace.path, path).faults if "gpu_memcpy'): 1 happened, 0 are" not in fault]
        t.equal(faults, [], f"rank {rank}")
        with open(path) as file:
            aborted = [row for row in map(json.loads, file) if row["op"] == "collective" and row["aborted"]]
        t.equal(len(aborted), 1, f"kernels of rank {rank} that were given up")
        correlation = aborted[0]["correlation"] + FIRST_CORRELATION
        [hung] = [op for op in trace.device_ops(cat="kernel") if op.args["correlation"] == correlation]
        t.check(hung.end - hung.begin > PATIENCE_S * 1e9, f"given up too early: {hung}")
        waits = [w for w in trace.waits() if w.begin < hung.end <= w.end and w.end - w.begin > (hung.end - hung.begin) / 2]
        t.check(waits, f"nobody waited for {hung}: {trace.waits()}")
