# SPDX-License-Identifier: Apache-2.0
"""Data-parallel training with NCCL, to be started by torchrun: DistributedDataParallel of a small network, an all-gather and a
broadcast whose values are looked at.

ddp_nccl.py [STEPS]"""

import datetime
import os
import sys

import torch
import torch.distributed as dist
import uncompiled
from stages import stage
from torch import nn
from torch.nn.parallel import DistributedDataParallel

uncompiled.leave_dynamo_out()


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    patience = datetime.timedelta(seconds=int(os.environ.get("PATIENCE_S", "600")))  # with the other ranks
    dist.init_process_group("nccl", timeout=patience)
    rank, size = dist.get_rank(), dist.get_world_size()
    model = DistributedDataParallel(nn.Sequential(nn.Linear(256, 1024), nn.ReLU(), nn.Linear(1024, 10)).cuda())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for number in range(steps):
        with stage(f"step {number}"):
            x, y = torch.randn(64, 256).cuda(), torch.randint(0, 10, (64,)).cuda()
            with stage("forward"):
                loss = nn.functional.cross_entropy(model(x), y)
            with stage("backward"):
                loss.backward()  # communicates: ddp
            with stage("optimizer"):
                optimizer.step()
                optimizer.zero_grad()
    with stage("values"):
        mine = torch.tensor([rank + 0.5], dtype=torch.float64).cuda()
        total, all_of_them = mine.clone(), [torch.zeros_like(mine) for _ in range(size)]
        dist.all_reduce(total)
        dist.all_gather(all_of_them, mine)
        values = [value.item() for value in all_of_them]
    print(f"rank {rank} of {size}: sum {total.item()}, all {values}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
