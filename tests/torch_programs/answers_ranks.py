# SPDX-License-Identifier: Apache-2.0
"""Data-parallel trainings of two ranks as people write them, to be started by torchrun, each with one line that costs it most: `answer: CASE`.
What has no `answer` is as good as it can be.

answers_ranks.py CASE"""

import datetime
import json
import os
import sys
import tempfile
import time

import torch
import torch.distributed as dist
from answers import STEPS, Model, work
from torch.nn.parallel import DistributedDataParallel


def batches(pause):
    for _ in range(STEPS):
        time.sleep(pause)
        yield torch.ones(64, 256).pin_memory()


def rank_data(model, rank):
    """One rank's data comes from a slower disk."""
    for x in batches(0.03 if rank == 1 else 0):  # answer: rank_data
        model(x.cuda(non_blocking=True)).backward()


def rank_evaluates(model, rank):
    x = torch.ones(64, 256, device="cuda")
    for step in range(STEPS):
        model(x).backward()
        if rank == 0 and step % 8 == 7:
            work(0.15)  # answer: rank_evaluates


def rank_writes(model, rank):
    """The first rank tells a file of each step what it found."""
    x, values = torch.ones(64, 256, device="cuda"), list(range(200000))
    with tempfile.TemporaryDirectory() as folder:
        for step in range(STEPS):
            model(x).backward()
            if rank == 0:
                with open(os.path.join(folder, str(step)), "w") as file:
                    json.dump(values, file)  # answer: rank_writes


def all_read(model, rank):
    """Each rank waits for its loss in each step."""
    x, total = torch.ones(64, 256, device="cuda"), 0.0
    for _ in range(STEPS):
        loss = model(x)
        loss.backward()
        total += loss.item()  # answer: all_read
        work(0.01)  # answer: all_read
    print(rank, total)


def alike(model, rank):
    """As good as it can be: the ranks do the same, and nothing waits before the end."""
    x = torch.ones(64, 256, device="cuda")
    for _ in range(STEPS):
        model(x).backward()


CASES = (rank_data, rank_evaluates, rank_writes, all_read, alike)


def main():
    rank = int(os.environ["RANK"])
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl", timeout=datetime.timedelta(seconds=120))
    model = DistributedDataParallel(Model().cuda())
    model(torch.ones(64, 256, device="cuda")).backward()  # loads the code
    torch.cuda.synchronize()
    dist.barrier()
    {case.__name__: case for case in CASES}[sys.argv[1]](model, rank)
    torch.cuda.synchronize()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
