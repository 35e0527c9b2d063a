# SPDX-License-Identifier: Apache-2.0
"""A program that uses CUPTI itself for a while, as torch.profiler does, is told what it is told bare; all it does outside of
that is recorded once, and trace and manifest say when CUPTI was left to whom."""

import json
import os

from gpu_truth import Comparison

LABELS = ("gpu",)
MODES = ("launcher",)
TIMEOUT = 120
WAITS = True
# With a timestamp callback the simulated CUPTI draws device times on a line through two readings of a busy machine's; other
# clocks are seconds off.
CLOCK_ERROR_NS = 20_000
REGISTER, CLOCK = "cuptiActivityRegisterCallbacks", "cuptiActivityRegisterTimestampCallback"
# The program's sessions and the call by which each begins; "careless" has none.
ALL = {"torch": CLOCK, "again": "cuptiActivityEnable", "subscriber": "cuptiSubscribe", "careless": None, "early": REGISTER,
       "empty": REGISTER, "finalize": "cuptiFinalize", "first": REGISTER}
QUICK = ("torch", "again", "torch", "subscriber")


def test(t):
    t.simulated_only("a real GPU writes no truth file")
    gpu = {**t.gpu_environment(), "SIMGPU_DURATIONS": "*=2ms"}
    for runtime, sessions in ("shared", (*(s for s in ALL if s != "first"), *QUICK)), ("static", ("first", *QUICK)):
        program = [t.cuda_program("own_profiler", runtime), *sessions]
        bare = t.run(program, gpu)
        t.check(b"again: kernels=3 " in bare.out and b"buffers=0" in bare.out, f"{bare}")
        truth = t.path(f"{runtime}.truth")
        recording = t.record(program, env={**gpu, "SIMGPU_TRUTH": truth})
        t.equal((recording.status, recording.out), (bare.status, bare.out), runtime)
        t.equal(Comparison(recording.trace().path, outside(truth), CLOCK_ERROR_NS).faults, [], runtime)
        t.equal(recording.losses(), {}, runtime)
        t.said(recording, "some gpu work will not be recorded", beginnings(sessions)[0])
        periods(t, recording, beginnings(sessions), sessions[0] == "first")
    alone = t.record(program, options=["--collect", "nvtx"], env=gpu, complete=False)
    t.equal(alone.out, bare.out, "with --collect nvtx")
    tool(t, gpu)


def beginnings(sessions):
    """The calls by which CUPTI was left; finalize also records before it takes CUPTI down."""
    calls = []
    for session in sessions:
        calls += [REGISTER] if session == "finalize" else []
        calls += [ALL[session]] if ALL[session] else []
    return calls


def outside(truth):
    """The truth file without what the program did inside its sessions."""
    path = truth + ".outside"
    with open(truth) as lines, open(path, "w") as kept:
        kept.writelines(line for line in lines if "Profiled" not in line)
    return path


def periods(t, recording, wanted, first):
    """Recorded, left, recorded, ...: in the manifest, the trace's metadata, and as slices."""
    (process,) = [p for p in recording.manifest()["processes"] if p["gpu"]]
    whose = [period["why"] for period in process["gpu"] if period["recorded"] == "left to another client"]
    t.equal(whose, wanted, "who had CUPTI")
    edges = [(a["end_ns"], b["begin_ns"]) for a, b in zip(process["gpu"], process["gpu"][1:])]
    t.check(all(end == begin for end, begin in edges), f"{edges}")
    trace = recording.trace()
    (told,) = [p["gpu"] for p in trace.document["metadata"]["processes"] if "gpu" in p]
    modes = ["cupti", *["left to another client", "cupti"] * len(wanted)]
    t.equal([p["recorded"] for p in told], modes[1:] if first else modes, "metadata")
    slices = [e for e in trace.events if e["name"] == "GPU recorded: left to another client"]
    t.equal([e["args"]["why"] for e in slices], wanted, "slices")
    calls = [e for e in trace.events if e.get("cat") == "cuda_runtime"]
    inside = [(c["name"], s["args"]["why"]) for c in calls for s in slices if s["ts"] < c["ts"] < s["ts"] + s["dur"]]
    t.equal(inside, [], "calls while CUPTI was left")
    analysis(t, trace, [(s.begin, s.end) for s in trace.slices(name="GPU recorded: left to another client")])


def analysis(t, trace, left):
    """Nothing is concluded from what is missing: no gap while CUPTI was left, no word on what a wait just after that was for."""
    met = [gap for gap in trace.gaps() if any(gap.begin < end and begin < gap.end for begin, end in left)]
    t.equal(met, [], "gaps while CUPTI was left")
    ends = {op.args["correlation"]: op.end for op in trace.device_ops()}
    doubtful = [wait for wait in trace.waits()
                if any(ends.get(wait.args["waited_for"], 0) <= begin and end <= wait.end for begin, end in left)]
    t.check(doubtful, "no wait after CUPTI was left")
    told = {(wait.args["waited_for"], wait.args["already_done"], wait.args.get("gpu_idle_after_us")) for wait in doubtful}
    t.equal({(what, done) for what, done, _ in told}, {(None, None)}, "waits after CUPTI was left")


def tool(t, gpu):
    """The user's own CUDA_INJECTION64_PATH tool, which found CUPTI by dlsym, subscribes: it was there first."""
    client = os.path.join(t.build, "tests", "libsimgpu_cupti_injection_client.so")
    told = t.path("told")
    env = {**gpu, "CUDA_INJECTION64_PATH": client, "CUPTI_CLIENT_OUT": told}
    recording = t.record([t.cuda_program("vector_add")], env=env)
    t.said(recording, "gpu work will not be recorded", "cuptiSubscribe answered 39", '"CUPTI" has it', "another tool")
    kinds = [json.loads(line)["kind"] for line in open(told)]
    t.check("kernel" in kinds and "memcpy" in kinds and kinds[-1] == "end", f"the tool was told of {kinds}")
