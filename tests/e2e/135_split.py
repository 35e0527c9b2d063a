# SPDX-License-Identifier: Apache-2.0
"""--split: for each cycle of a schedule, or each step, a trace with what was recorded in it, beside the whole one."""

import os
from collections import Counter

from chrome_trace import Trace

LABELS = ("gpu",)
STEP = ["--step-range", "step*"]
PER_STEP = {"gemm_forward": 4, "relu_forward": 4, "gemm_backward": 4, "ncclDevKernel_AllReduce_Sum_f32_RING_LL": 1, "adam_step": 1}


def parts(recording, kind, rank=0):
    folder = os.path.join(recording.directory, kind)
    names = sorted(os.listdir(folder), key=int) if os.path.isdir(folder) else []
    return {name: Trace(os.path.join(folder, name, f"rank-{rank}.trace.json.gz")) for name in names}


def steps(trace):
    return [name for name in trace.names() if name.startswith("step ")]


def test(t):
    program = [t.victim("stages"), "loop"]
    recording = t.record(program, [*STEP, "--schedule", "wait=1 warmup=1 active=2 repeat=2", "--split", "cycles"])
    found = parts(recording, "cycles")
    t.equal({name: steps(trace) for name, trace in found.items()}, {"0": ["step 2", "step 3"], "1": ["step 6", "step 7"]}, "cycles")
    t.equal(Counter(found["1"].names()), Counter({"step 6": 1, "step 7": 1, "load": 2, "denoise": 2, "vae_decode": 2}), "a cycle")
    t.equal(steps(recording.trace()), ["step 2", "step 3", "step 6", "step 7"], "the whole")
    t.said(recording, "wrote a trace for each of 2 cycles below cycles/")
    each = t.record(program, [*STEP, "--split", "steps"])
    found = parts(each, "steps")
    t.equal(list(found), [str(i) for i in range(30)], "steps")
    for name, trace in found.items():
        t.equal(Counter(trace.names()), Counter({f"step {name}": 1, "load": 1, "denoise": 1, "vae_decode": 1}), f"part {name}")
    none = t.record(program, ["--split", "cycles"])
    t.equal(parts(none, "cycles"), {}, "no gate")
    t.said(none, "--split cycles: there are none; --schedule, --steps or --stages make some")
    t.equal(os.path.exists(os.path.join(t.record(program, STEP).directory, "steps")), False, "not asked for")
    gpu(t)


def gpu(t):
    """Work that the device does late is in the part of the cycle that launched it."""
    program = [t.cuda_program("training_step"), "8"]
    env = {**t.gpu_environment(), "SIMGPU_DURATIONS": "*=100us"}
    recording = t.record(program, [*STEP, "--schedule", "wait=1 active=2", "--split", "cycles"], env)
    found = parts(recording, "cycles")
    t.equal({name: steps(trace) for name, trace in found.items()}, {"0": ["step 1", "step 2"], "1": ["step 4", "step 5"], "2": ["step 7"]}, "cycles")
    for name, trace in found.items():
        kernels = Counter(op.name.split("(")[0] for op in trace.device_ops() if op.cat == "kernel")
        t.equal(kernels, Counter({kernel: count * len(steps(trace)) for kernel, count in PER_STEP.items()}), f"kernels of cycle {name}")
    t.equal(sum(len(trace.device_ops()) for trace in found.values()), len(recording.trace().device_ops()), "all of it, once")
