# SPDX-License-Identifier: Apache-2.0
"""--step-range: ranges become ProfilerStep#N, for which HTA looks; a pattern that fits none is told with the ranges that there are."""

import os

LABELS = ("readers", "gpu")
TIMEOUT = 240
MODES = ("launcher",)
STEPS = 5
CHECKER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "harness", "check_hta.py")
ANALYSES = ("load", "profiler_steps", "critical_path", "call_stack", "nesting")


def test(t):
    program = [t.cuda_program("training_step"), str(STEPS)]
    recording = t.record(program, ["--step-range", "step *"], t.gpu_environment())
    trace = recording.trace()
    steps = [s for s in trace.slices() if s.name.startswith("ProfilerStep#")]
    ranges = [r for r in trace.ranges() if r.name.startswith("step ")]
    t.equal([s.name for s in steps], [f"ProfilerStep#{i}" for i in range(STEPS)], f"{steps}")
    t.equal([s.args["step_range"] for s in steps], [r.name for r in ranges], f"{steps}")
    t.equal([s.begin for s in steps], [r.begin for r in ranges], "begins")
    t.equal([s.end for s in steps], [r.begin for r in ranges[1:]] + [ranges[-1].end], "ends")
    t.equal(recording.manifest()["steps"], STEPS, "steps in the manifest")
    shot = os.path.join(os.path.dirname(CHECKER), "shot_perfetto.py")
    fits_none(t)
    for name in ("hta", "hta-old"):
        result = t.run([t.venv(name), CHECKER, recording.directory, *ANALYSES], {"HTA_DISABLE_NS_ROUNDING": "1"}, timeout=100)
        t.equal(result.status, 0, f"{name}: {result}")
    result = t.run([t.venv("viewers"), shot, trace.path, "--check"], {"HOME": t.directory}, timeout=100)
    t.equal(result.status, 0, f"{result}")


def fits_none(t):
    recording = t.record([t.victim("nvtx_c")], ["--step-range", "stp*"])
    said = "\n".join(recording.said)
    t.check("no range fits --step-range 'stp*': there are " in said and len(recording.said) <= 4, f"{recording}")
    recording = t.record([t.cuda_program("vector_add")], ["--step-range", "stp*"], t.gpu_environment())
    t.check("the program has no ranges (NVTX makes some" in "\n".join(recording.said), f"{recording}")
