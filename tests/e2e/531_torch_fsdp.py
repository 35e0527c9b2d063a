# SPDX-License-Identifier: Apache-2.0
"""fully_shard on four devices: all-gathers and reduce-scatters on streams of their own meet in all ranks, a ring of sends and
receives too."""

from collections import Counter

import torchrun

LABELS = ("gpu", "torch")
MODES = ("launcher",)
TIMEOUT = 480
RANKS, STEPS = 4, 2


def test(t):
    t.need_gpus(2)
    env = t.torch_environment({"SIMGPU_DEVICES": str(RANKS)})
    recording = torchrun.record(t, "fsdp", RANKS, str(STEPS), env=env)
    t.equal(recording.ranks(), list(range(RANKS)), f"traces: {recording}")
    judged = [t.judge_torch(recording, env, f"rank {rank}", rank) for rank in range(RANKS)]
    for rank, found in enumerate(judged):
        t.check(f"rank {rank} of 4: received {(rank - 1) % RANKS}.0".encode() in recording.out, f"{recording}")
        t.equal({row["device"] for row in found.launched}, {rank}, f"devices of rank {rank}")
    names = Counter()
    for meeting in torchrun.meetings(judged):
        names[meeting.slices[0].name.split("_")[1].split("(")[0]] += 1
        t.equal(len({s.name for s in meeting.slices}), 1, f"one kernel in all ranks: {meeting}")
        torchrun.check_meeting(t, meeting, judged)
    # Three layers are gathered forward, and those freed behind it once more backward; each layer's gradients are scattered.
    t.check(names["AllGather"] >= 3 * STEPS and names["ReduceScatter"] == 3 * STEPS and names["SendRecv"] == 1, f"{names}")
