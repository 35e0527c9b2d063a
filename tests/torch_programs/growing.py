# SPDX-License-Identifier: Apache-2.0
"""A server whose requests leave 4 MiB each: growing.py [kernels]. Without kernels the GPU does nothing."""

import sys

import torch

kept = []


def keep():
    kept.append(torch.empty(1 << 20, device="cuda"))


for _ in range(16):
    torch.cuda.nvtx.range_push("request")
    keep()
    if len(sys.argv) > 1:
        kept[-1].add_(1)
    torch.cuda.nvtx.range_pop()
