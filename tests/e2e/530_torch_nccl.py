# SPDX-License-Identifier: Apache-2.0
"""DistributedDataParallel with NCCL under torchrun: a trace for each rank that agrees with the truth; where one rank is late, the
slices of the collectives show which, and how long the others waited for it, with two ranks and with four, and so do the
line after the run and the sums."""

import late_rank
import torchrun

LABELS = ("gpu", "torch")
TIMEOUT = 480
RANKS, STEPS, LATE, LATE_MS = 2, 3, 1, 200
# Four take long on a small machine: once, instead of two.
LATE_RANKS = {"launcher": 4, "process": RANKS}


def run(t, ranks, env):
    env = t.torch_environment({"SIMGPU_DEVICES": str(ranks), **env})
    recording = torchrun.record(t, "ddp_nccl", ranks, str(STEPS), env=env)
    t.equal(recording.ranks(), list(range(ranks)), f"traces: {recording}")
    values = [rank + 0.5 for rank in range(ranks)]
    for rank in range(ranks):
        t.check(f"rank {rank} of {ranks}: sum {sum(values)}, all {values}".encode() in recording.out, f"{recording}")
    judged = [t.judge_torch(recording, env, f"{env} rank {rank}", rank) for rank in range(ranks)]
    meetings = torchrun.meetings(judged)
    t.check(len(meetings) > STEPS, f"{len(meetings)} collectives")
    return recording, env, judged, meetings


def test(t):
    t.need_gpus(2)
    _, _, judged, meetings = run(t, RANKS, {})
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
    ranks = LATE_RANKS[t.mode]
    recording, env, judged, meetings = run(t, ranks, {"SIMGPU_FAULT": f"nccl_late={LATE}:{LATE_MS}"})
    for meeting in meetings:
        torchrun.check_meeting(t, meeting, judged)
    # On a busy machine another rank may be later still now and then.
    waited = [meeting.slices for meeting in meetings if meeting.truth[0]["last_rank"] == LATE]
    t.check(len(waited) > len(meetings) / 2, f"rank {LATE} was the last one in {len(waited)} of {len(meetings)}")
    took = [sum(slices[rank].end - slices[rank].begin for slices in waited) for rank in range(ranks)]
    others = [ns for rank, ns in enumerate(took) if rank != LATE]
    t.check(min(others) > 2 * took[LATE], f"kernels took {took} ns by rank")
    facts = late_rank.judge(t, recording, env, ranks, "one launcher")
    t.check(facts["met"] > STEPS, f"{facts}")
