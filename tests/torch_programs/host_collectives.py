# SPDX-License-Identifier: Apache-2.0
"""Collectives of gloo on the CPU, to be started by torchrun with three ranks: some come late, each to a group and an operation of its own.
Each rank prints when it came to each all_reduce.

host_collectives.py [STEPS] [sync]"""

import json
import sys
import time

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as functional

LATE = 0.06


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    pair = dist.new_group([0, 1])
    value, wide, came = torch.ones(1024), torch.ones(512, dtype=torch.float64), []
    dist.barrier()
    for number in range(steps):
        if rank == 1 and number % 3 == 2:
            time.sleep(LATE)
        came.append(time.clock_gettime_ns(time.CLOCK_MONOTONIC))
        dist.all_reduce(value)
        dist.all_reduce(wide, async_op=True).wait()
        if rank == 0 and number % 3 == 1:
            time.sleep(LATE)
        if rank < 2:
            dist.all_gather_into_tensor(torch.empty(512), torch.ones(256), group=pair)
        dist.barrier()
    for _ in range(4):
        if rank == 0:
            time.sleep(LATE)
            dist.send(value, 2)
        elif rank == 2:
            dist.recv(value, 0)
    dist.barrier()
    functional.all_reduce(torch.ones(100), "sum", dist.group.WORLD).sum()
    print(json.dumps({"rank": rank, "came": came}), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
