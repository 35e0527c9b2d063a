# SPDX-License-Identifier: Apache-2.0
"""What PyTorch's allocator gives out, of unmodified programs: the counters of the trace are at each step what torch.cuda.memory_stats says. The report names no
fault where there is none."""

import json

import chrome_trace

LABELS = ("gpu", "torch")
TIMEOUT = 240
STEPS = 8


def counters(trace):
    """(ns, allocated, reserved) of the trace's one device."""
    rows = [(event, at) for event, (at, _) in zip(trace.events, trace.times) if event["ph"] == "C" and event["name"] == "allocator of cuda:0"]
    return [(chrome_trace.nanoseconds(at), event["args"]["allocated"], event["args"]["reserved"]) for event, at in rows]


def test(t):
    t.simulated_only()
    env = t.torch_environment()
    for what in ("plain", "amp", "checkpoint", "stream", "inference") if t.mode == "launcher" else ("plain",):
        recording = t.past_exit_race(lambda: t.record([*t.torch_program("memory"), what, str(STEPS)], (), env), env)
        t.equal((recording.ending, recording.losses()), ("status 0", {}), f"{what}: {recording}")
        told = [json.loads(line) for line in recording.out.decode().splitlines() if line.startswith('{"step"')]
        t.equal(len(told), STEPS, what)
        check_steps(t, recording.trace(), told, what)
        if t.mode == "launcher":
            faults = json.loads(t.run([t.syncline, "report", recording.directory, "--format", "json", "--no-files"]).out)
            t.equal((faults["memory"], faults["memory_growth"]), ([], []), f"{what}: nothing is wrong")
    if t.mode == "launcher":
        other_allocators(t, env)
    off = t.record([*t.torch_program("memory"), "plain", "1"], ["--no-torch-memory"], env).trace()
    t.equal([event for event in off.events if event["ph"] == "C" and event["name"].startswith("allocator")], [], "--no-torch-memory")


def check_steps(t, trace, told, what):
    levels = counters(trace)
    for row in told:
        [step] = trace.ranges(name=f"step {row['step']}")
        within = [level for level in levels if step.begin <= level[0] <= step.end]
        peak = max([row["before"], *(allocated for _, allocated, _ in within)])
        t.equal((within[-1][1:], peak), ((row["allocated_current"], row["reserved_current"]), row["allocated_peak"]), f"{what}, step {row['step']}")
        t.equal(max(reserved for _, _, reserved in within), row["reserved_peak"], f"{what}, step {row['step']}: reserved")
    print(f"{what}: {len(levels)} levels, {len(told)} steps are equal")


def other_allocators(t, env):
    """Segments that grow are told like others; an allocator that tells PyTorch's profiler nothing is said to."""
    program = [*t.torch_program("memory"), "plain", str(STEPS)]
    grown = t.past_exit_race(lambda: t.record(program, (), {**env, "PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"}), env)
    t.equal(grown.ending, "status 0", f"{grown}")
    check_steps(t, grown.trace(), [json.loads(line) for line in grown.out.decode().splitlines() if line.startswith('{"step"')], "expandable segments")
    silent = t.past_exit_race(lambda: t.record(program, (), {**env, "PYTORCH_CUDA_ALLOC_CONF": "backend:cudaMallocAsync"}), env)
    t.equal(silent.ending, "status 0", f"{silent}")
    t.equal(counters(silent.trace()), [], "cudaMallocAsync")
    off = t.past_exit_race(lambda: t.record(program, ["--torch", "off"], env), env)
    for recording, said in ((silent, True), (grown, False), (off, False)):
        report = t.run([t.syncline, "report", recording.directory, "--no-files"]).out.decode()
        t.equal("tells nobody of its blocks" in " ".join(report.split()), said, report)
