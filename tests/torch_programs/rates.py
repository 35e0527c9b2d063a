# SPDX-License-Identifier: Apache-2.0
"""Steps whose FLOPs and bytes are known: in each three products of 512 x 256 by 256 x 1024 in bf16, one of 64 x 64 by 64 x 64 in fp32, and work
that is none of that.

rates.py STEPS"""

import sys

import torch


def step(a, b, c):
    for _ in range(3):
        torch.mm(a, b)
    torch.nn.functional.linear(c, c)
    torch.relu(a)
    torch.cuda.synchronize()


def main():
    a, b = torch.ones(512, 256, device="cuda", dtype=torch.bfloat16), torch.ones(256, 1024, device="cuda", dtype=torch.bfloat16)
    c = torch.ones(64, 64, device="cuda")
    step(a, b, c)
    for number in range(int(sys.argv[1])):
        with torch.cuda.nvtx.range(f"step {number}"):
            step(a, b, c)


if __name__ == "__main__":
    main()
