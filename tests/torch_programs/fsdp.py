# SPDX-License-Identifier: Apache-2.0
"""Training of a sharded network (fully_shard) with NCCL, to be started by torchrun; at the end pipeline-like sends and receives.

fsdp.py [STEPS]"""

import os
import sys

import torch
import torch.distributed as dist
from stages import stage
from torch import nn
from torch.distributed.fsdp import fully_shard


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl", device_id=torch.device("cuda", int(os.environ["LOCAL_RANK"])))
    rank, size = dist.get_rank(), dist.get_world_size()
    layers = [nn.Sequential(nn.Linear(256, 1024), nn.GELU(), nn.Linear(1024, 256)).cuda() for _ in range(3)]
    model = nn.Sequential(*(fully_shard(layer) for layer in layers))
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters())
    for number in range(steps):
        with stage(f"step {number}"):
            with stage("forward"):
                loss = model(torch.randn(32, 256, device="cuda")).square().mean()
            with stage("backward"):
                loss.backward()
            with stage("optimizer"):
                optimizer.step()
                optimizer.zero_grad()
    with stage("ring"):
        mine, received = torch.tensor([float(rank)]).cuda(), torch.zeros(1).cuda()
        work = dist.batch_isend_irecv([dist.P2POp(dist.isend, mine, (rank + 1) % size),
                                       dist.P2POp(dist.irecv, received, (rank - 1) % size)])
        for each in work:
            each.wait()
        value = received.item()
    print(f"rank {rank} of {size}: received {value}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
