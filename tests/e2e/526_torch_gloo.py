# SPDX-License-Identifier: Apache-2.0
"""Two ranks of PyTorch's CUDA wheel under torchrun, a device each, gradients summed by gloo: one trace for each rank, which agrees with
the truth file of its process."""

import torchrun

LABELS = ("gpu", "torch")
TIMEOUT = 240
STEPS = 3


def test(t):
    t.need_gpus(2)
    env = t.torch_environment()
    recording = torchrun.record(t, "ddp", 2, str(STEPS), env=env)
    t.equal(recording.ranks(), [0, 1], "traces")
    for rank in range(2):
        t.check(f"rank {rank} of 2 sum 3.0 on device {rank}".encode() in recording.out, f"{recording}")
        judged = t.judge_torch(recording, env, f"rank {rank}", rank)
        t.equal({row["device"] for row in judged.launched}, {rank}, f"devices of rank {rank}")
        threads = {row["thread"] for row in judged.launched}
        t.check(len(threads) >= 2, f"autograd's thread launched nothing: {threads}")
        for number in range(STEPS):
            t.check(judged.staged[f"step {number} > forward"] > 0, f"rank {rank} launched nothing forward in step {number}")
