# SPDX-License-Identifier: Apache-2.0
"""CUDA programs, on a GPU or on the simulated ones, check their results and end as they do bare;
their NVTX ranges are recorded."""

LABELS = ("gpu",)
TIMEOUT = 300
PROGRAMS = ("vector_add", "streams", "copies", "event_timing", "graphs", "default_stream")
STEP = ("load", "forward", "backward", "all-reduce", "optimizer")
HOW = {"compare": ("err",)}  # they print times


def test(t):
    gpu = t.gpu_environment()
    for runtime in ("shared", "static"):
        for name in PROGRAMS:
            program = [t.cuda_program(name, runtime)]
            t.equal(t.transparent(program, env=gpu, complete=False, **HOW).status, 0, name)
        program = [t.cuda_program("training_step", runtime), "3"]
        trace = t.transparent(program, env=gpu, **HOW).trace()
        t.counted(trace.names(), {f"step {i}": 1 for i in range(3)})
        t.check(all(f"step 1 > {phase}" in trace.paths() for phase in STEP), f"{trace.paths()}")
