# SPDX-License-Identifier: Apache-2.0
"""Data-parallel training under Open MPI, one GPU a rank: rank 2 loads too much.   mpirun -n 4 syncline -- python ddp.py"""

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

RANK, SIZE = int(os.environ["OMPI_COMM_WORLD_RANK"]), int(os.environ["OMPI_COMM_WORLD_SIZE"])
ADDRESS = os.environ.get("ADDRESS", "tcp://127.0.0.1:29511")


def load():
    samples = torch.randn(32768 if RANK == 2 else 64, 256)
    return samples[:64], torch.randint(0, 10, (64,))


def train(model, optimizer):
    for _ in range(50):
        with torch.cuda.nvtx.range("step"):
            x, y = load()
            loss = nn.functional.cross_entropy(model(x.cuda()), y.cuda())
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()


torch.cuda.set_device(int(os.environ["OMPI_COMM_WORLD_LOCAL_RANK"]))
dist.init_process_group("nccl", ADDRESS, rank=RANK, world_size=SIZE)
network = DistributedDataParallel(nn.Sequential(nn.Linear(256, 1024), nn.ReLU(), nn.Linear(1024, 10)).cuda())
train(network, torch.optim.SGD(network.parameters(), lr=0.1))
dist.barrier()
dist.destroy_process_group()
