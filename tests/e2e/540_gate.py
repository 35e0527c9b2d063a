# SPDX-License-Identifier: Apache-2.0
"""--stages, --exclude-stages, --steps, --schedule: exactly the ranges, calls and GPU operations that were asked for, by the truth file of
the simulated GPUs, and counts of the rest; what was launched outside is shown apart."""

import json
import re
from collections import Counter

from gpu_truth import FIRST_CORRELATION

LABELS = ("gpu",)
TIMEOUT = 240
STEPS = 7
PHASES = {"load": 1, "forward": 8, "backward": 4, "all-reduce": 1, "optimizer": 2}  # operations of each
STEP = ["--step-range", "step*"]


def phases(*names):
    return lambda step, phase: phase in names


def steps(*numbers):
    return lambda step, phase: step in numbers


# Options, which (step, phase) is recorded; phase None is the step's own range.
TABLE = [
    (["--stages", "forward"], phases("forward")),
    (["--stages", "f*,opt?mizer"], phases("forward", "optimizer")),
    (["--stages", "step 1,step 3,forward"], lambda step, phase: step in (1, 3) or phase == "forward"),
    (["--stages", "step*", "--exclude-stages", "backward,load"], lambda step, phase: phase not in ("backward", "load")),
    (["--exclude-stages", "step 2,step 4"], lambda step, phase: step not in (2, 4)),
    (["--stages", "forward@,backward@other"], phases("forward")),
    ([*STEP, "--steps", "1:3"], steps(1, 2)),
    ([*STEP, "--steps", "5:"], steps(5, 6)),
    ([*STEP, "--steps", ":1"], steps(0)),
    ([*STEP, "--schedule", "wait=1 warmup=1 active=1 repeat=2"], steps(2, 5)),
    ([*STEP, "--schedule", "skip_first=1,wait=1,active=1"], steps(2, 4, 6)),
    ([*STEP, "--steps", "1:3", "--stages", "all*"], lambda step, phase: step in (1, 2) and phase == "all-reduce"),
]


def true_places(truth):
    """(step, phase) of each operation, by correlation: the program submits them in order."""
    order = [(step, phase) for step in range(STEPS) for phase, count in PHASES.items() for _ in range(count)]
    with open(truth) as file:
        rows = [row for row in map(json.loads, file) if row["op"] in ("kernel", "memcpy", "memset")]
    correlations = sorted(row["correlation"] + FIRST_CORRELATION for row in rows)
    return dict(zip(correlations, order, strict=True))


def test(t):
    t.simulated_only()
    program = [t.cuda_program("training_step"), str(STEPS)]
    for durations in ("*=20us", "*=600us"):
        whole = t.record(program, env={**t.gpu_environment(), "SIMGPU_DURATIONS": durations}).manifest()
        for options, recorded in TABLE if durations == "*=20us" or t.full else TABLE[:1]:
            one(t, program, durations, options, recorded, whole)
    nothing(t, program)


def one(t, program, durations, options, recorded, whole):
    what = f"{durations} {' '.join(options)}"
    truth = t.path(re.sub(r"\W", "_", what))
    env = {**t.gpu_environment(), "SIMGPU_DURATIONS": durations, "SIMGPU_TRUTH": truth}
    recording = t.record(program, options, env)
    trace, manifest = recording.trace(), recording.manifest()
    places = true_places(truth)
    ops = trace.device_ops()
    t.equal(sorted(op.args["correlation"] for op in ops), sorted(c for c, place in places.items() if recorded(*place)), f"{what}: operations")
    wanted = Counter(phase for step in range(STEPS) for phase in PHASES if recorded(step, phase))
    wanted.update(f"step {step}" for step in range(STEPS) if recorded(step, None))
    t.equal(Counter(r.name for r in trace.ranges() if not r.name.startswith("ProfilerStep#")), wanted, f"{what}: ranges")
    launched = {op.args["correlation"] for op in ops}
    t.check(launched <= {call.args.get("correlation") for call in trace.calls()}, f"{what}: an operation without its call")
    gate, left_out = manifest["processes"][0]["gate"], manifest["not_recorded"]
    t.equal(manifest["ranges"] + left_out["ranges"], whole["ranges"], f"{what}: ranges in all")
    t.equal(manifest["calls"] + left_out["calls"], whole["calls"], f"{what}: calls in all")
    outside = trace.outside()
    t.equal(len(outside), gate["outside"], f"{what}: outside")
    t.equal(len(ops) + len(outside) + left_out["device_ops"], whole["device_ops"], f"{what}: operations in all")
    t.check(outside or durations == "*=20us" or options != TABLE[0][0], f"{what}: nothing outside, though kernels outlast their stages")
    t.check(not launched & {s.args["launch"] for s in outside}, f"{what}: shown as recorded and as outside")
    t.check(f"; {sum(left_out.values()):,} more were not recorded, as asked" in recording.said[0], f"{what}: {recording}")
    windows(t, what, trace, gate)
    if "--step-range" in options:
        t.equal(gate["steps"], STEPS, f"{what}: steps")
        names = [s.name for s in trace.slices() if s.name.startswith("ProfilerStep#")]
        t.equal(names, [f"ProfilerStep#{step}" for step in range(STEPS) if recorded(step, None)], f"{what}: steps shown")
    for wait in trace.waits():
        t.check(wait.args["ranges"].startswith("step"), f"{what}: {wait} has lost the range around its stage")


def windows(t, what, trace, gate):
    """All that was recorded began in a window; a gap lies in none of the times between them."""
    base = trace.document["baseTimeNanoseconds"]
    times = [(begin - base, end - base) for begin, end in gate["times"]]
    for r in [*trace.ranges(), *trace.calls()]:
        if not r.name.startswith("ProfilerStep#"):
            t.check(any(begin - 1 <= r.begin <= end + 1 for begin, end in times), f"{what}: {r} began outside of {times}")
    for gap in trace.gaps():
        t.check(any(begin - 1 <= gap.begin and gap.end <= end + 1 for begin, end in times), f"{what}: {gap} is not within one of {times}")


def nothing(t, program):
    """What never came is told, with what there was."""
    asked = [(["--stages", "fwd"], "no range fits --stages fwd: there are all-reduce, backward, forward, load, optimizer"),
             (["--step-range", "stp*", "--steps", "1:3"], "no range fits --step-range 'stp*': there are all-reduce"),
             ([*STEP, "--steps", "50:60"], f"none of the steps that --steps 50:60 asks for was recorded: the program had {STEPS} steps"),
             (["--gate", "cuda-profiler"], "the program did not call cudaProfilerStart"),
             (["--delay", "1000s"], "the program ended before --delay was over")]
    for options, line in asked:
        recording = t.record(program, options, t.gpu_environment())
        t.check(line in "\n".join(recording.said) and len(recording.said) <= 4, f"{options}: {recording}")
        t.equal(recording.manifest()["events"], 0, f"{options}: events")
    silent = t.record([t.cuda_program("vector_add")], ["--stages", "x"], t.gpu_environment())
    t.check("no range fits --stages x: the program has no ranges (NVTX makes some" in "\n".join(silent.said), f"{silent}")
