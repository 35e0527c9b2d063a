# SPDX-License-Identifier: Apache-2.0
"""What recording adds to an event of PyTorch's caching allocator (a block given out or back), ns of CPU time of a thread that has one core.
Run it under `syncline --stages observed`: outside of that range nothing is recorded.

torch_memory.py     prints one line of JSON: medians of the rounds, and of their differences, in functions of 10 calls"""

import json
import os
import statistics
import time

import torch
from torch.profiler import record_function

BLOCKS, ROUNDS, DEPTH = 20_000, 15, 10


def cost(depth):
    if depth > 1:
        return cost(depth - 1)
    block = torch.empty(1000, device="cuda")
    begin = time.thread_time_ns()
    for _ in range(BLOCKS):
        block = torch.empty(1000, device="cuda")
    return (time.thread_time_ns() - begin) / (2 * BLOCKS), block


def main():
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    shut, recorded = [], []
    for _ in range(ROUNDS):
        shut.append(cost(DEPTH)[0])
        with record_function("observed"):
            recorded.append(cost(DEPTH)[0])
    adds = statistics.median(with_it - without for with_it, without in zip(recorded, shut))
    print(json.dumps({"shut": statistics.median(shut), "recorded_adds": adds}))


if __name__ == "__main__":
    main()
