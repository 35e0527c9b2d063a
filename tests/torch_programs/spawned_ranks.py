# SPDX-License-Identifier: Apache-2.0
"""Ranks of a training with NCCL that one process starts, without variables that tell their numbers: torch.multiprocessing.spawn. One of
them sleeps in each step before the others meet it.

spawned_ranks.py RANKS LATE PORT"""

import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn

STEPS, LATE_S = 20, 0.01


def work(rank, ranks, late, port):
    dist.init_process_group("nccl", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=ranks)
    torch.cuda.set_device(rank)
    model = nn.parallel.DistributedDataParallel(nn.Linear(256, 256).cuda(), device_ids=[rank])
    for _ in range(STEPS):
        with torch.cuda.nvtx.range("step"):
            if rank == late:
                time.sleep(LATE_S)  # problem: spawned_late
            model(torch.ones(8, 256, device="cuda")).sum().backward()
    torch.cuda.synchronize()
    dist.destroy_process_group()


if __name__ == "__main__":
    count, who, where = (int(argument) for argument in sys.argv[1:4])
    mp.spawn(work, args=(count, who, where), nprocs=count)
