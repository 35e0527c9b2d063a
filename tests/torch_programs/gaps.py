# SPDX-License-Identifier: Apache-2.0
"""A program that leaves the GPU without work, twice a turn. The lines say in a comment what they are.

gaps.py"""

import time

import torch

TURNS = 5


def prepare():
    """What keeps the host busy: nothing of it is a call for the GPU."""
    end = time.perf_counter() + 0.01
    while time.perf_counter() < end:
        pass


def main():
    x = torch.ones(64, device="cuda")
    for _ in range(TURNS):
        prepare()  # before first
        x.add_(1)
        torch.cuda.synchronize()  # waits
        prepare()  # before second
        x.mul_(2)  # second
    torch.cuda.synchronize()


main()
