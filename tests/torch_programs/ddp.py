# SPDX-License-Identifier: Apache-2.0
"""Ranks under torchrun train one model: gloo sums the gradients on the host, so that the sums are right. One device for each rank.

ddp.py [STEPS]"""

import os
import sys

import torch
import torch.distributed as dist
from stages import stage
from torch import nn


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    dist.init_process_group("gloo")
    rank, size = dist.get_rank(), dist.get_world_size()
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    total = torch.full((4,), float(rank + 1)).cuda()
    dist.all_reduce(total)
    print(f"rank {rank} of {size} sum {total.cpu().tolist()[0]} on device {torch.cuda.current_device()}", flush=True)
    model = nn.parallel.DistributedDataParallel(nn.Sequential(nn.Linear(128, 256), nn.ReLU(), nn.Linear(256, 8)).cuda())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for number in range(steps):
        with stage(f"step {number}"):
            with stage("forward"):
                loss = model(torch.randn(32, 128).cuda()).sum()
            with stage("backward"):
                loss.backward()
            with stage("optimizer"):
                optimizer.step()
                optimizer.zero_grad()
    torch.cuda.synchronize()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
