# SPDX-License-Identifier: Apache-2.0
"""A program that uses CUPTI itself, as torch.profiler does, gets what it gets bare; what it did before is recorded, and a
line says why what came after is not."""

import json
import os

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
    tool(t, gpu)


def tool(t, gpu):
    """The user's own CUDA_INJECTION64_PATH tool subscribes to CUPTI: it was there first."""
    client = os.path.join(t.build, "tests", "libsimgpu_cupti_injection_client.so")
    told = t.path("told")
    env = {**gpu, "CUDA_INJECTION64_PATH": client, "CUPTI_CLIENT_OUT": told}
    recording = t.record([t.cuda_program("vector_add")], env=env)
    t.said(recording, "gpu work will not be recorded", "cuptiSubscribe answered 39", "another tool")
    kinds = [json.loads(line)["kind"] for line in open(told)]
    t.check("kernel" in kinds and "memcpy" in kinds and kinds[-1] == "end", f"the tool was told of {kinds}")
