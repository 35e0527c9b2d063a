# SPDX-License-Identifier: Apache-2.0
"""DistributedDataParallel with NCCL under torchrun: a trace for each rank that agrees with the truth; where one rank is late, the
slices of the collectives show which, and how long the others waited for it."""

import torchrun

LABELS = ("gpu", "torch")
TIMEOUT = 480
RANKS, STEPS, LATE, LATE_MS = 2, 3, 1, 200


def run(t, env):
    env = t.torch_environment(env)
    recording = torchrun.record(t, "ddp_nccl", RANKS, str(STEPS), env=env)
    t.equal(recording.ranks(), list(range(RANKS)), f"traces: {recording}")
    for rank in range(RANKS):
        t.check(f"rank {rank} of 2: sum 2.0, all [0.5, 1.5]".encode() in recording.out, f"{recording}")
    judged = [t.judge_torch(recording, env, f"{env} rank {rank}", rank) for rank in range(RANKS)]
    meetings = torchrun.meetings(judged)
    t.check(len(meetings) > STEPS, f"{len(meetings)} collectives")
    return judged, meetings


def test(t):
    judged, meetings = run(t, {})
    for meeting in meetings:
        t.equal({s.name for s in meeting.slices}, {meeting.slices[0].name}, "names of one kernel")
        t.check(meeting.slices[0].name.startswith("ncclDevKernel_"), f"{meeting.slices}")
    for found in judged:
        ranges(t, found)
    late(t)


def ranges(t, found):
    """Each kernel was launched in one of NCCL's own ranges, which say what was called."""
    own = [r for r in found.trace.ranges() if r.args.get("domain") == "NCCL"]
    for row in found.truth:
        if row["op"] == "collective":
            call = found.calls[row["correlation"]]
            around = [r for r in own if r.tid == call.tid and r.begin <= call.begin and call.end <= r.end]
            t.check(around, f"{call} is in no range of NCCL's")
    sums = [r for r in own if r.name == "ncclAllReduce"]
    t.check(len(sums) > STEPS and len({r.args["payload"]["NCCL communicator ID"] for r in sums}) == 1, f"{sums}")
    t.equal({r.args["payload"]["Reduction operation"] for r in sums}, {"Sum"}, "reductions")


def late(t):
    judged, meetings = run(t, {"SIMGPU_FAULT": f"nccl_late={LATE}:{LATE_MS}"})
    for meeting in meetings:
        torchrun.check_meeting(t, meeting, judged)
    # On a busy machine the other rank may be later still now and then.
    waited = [meeting.slices for meeting in meetings if meeting.truth[0]["last_rank"] == LATE]
    t.check(len(waited) > len(meetings) / 2, f"rank {LATE} was the last one in {len(waited)} of {len(meetings)}")
    took = [sum(slices[rank].end - slices[rank].begin for slices in waited) for rank in range(RANKS)]
    t.check(took[1 - LATE] > 2 * took[LATE], f"kernels took {took} ns by rank")
