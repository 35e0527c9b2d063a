# SPDX-License-Identifier: Apache-2.0
"""A program that uses CUPTI itself, as torch.profiler does, gets what it gets bare; what it did before is recorded, and a
line says why what came after is not."""

LABELS = ("gpu",)
TIMEOUT = 120


def test(t):
    gpu = t.gpu_environment()
    for runtime in ("shared", "static"):
        program = [t.cuda_program("own_profiler", runtime)]
        recording = t.transparent(program, env=gpu)
        t.check(b"kernels=5" in recording.out, f"{recording}")
        names = [op.name for op in recording.trace().device_ops(cat="kernel")]
        t.equal(names, ["Before(float*)"] * 3, "kernels in the trace")
        t.said(recording, "gpu work from then on will not be recorded", "cuptiActivityRegisterCallbacks")
        alone = t.record(program, options=["--collect", "nvtx"], env=gpu, complete=False)
        t.equal(alone.out, recording.out, "with --collect nvtx")
