# SPDX-License-Identifier: Apache-2.0
"""Data-parallel trainings that lose time in one known way, and what they are without it; to be started by torchrun with any number of
ranks. What a case loses time with is at its line `twin: CASE`. The host's own work is sleep: ranks share few processors.

twins_ranks.py CASE [--without]"""

import argparse
import datetime
import os
import time

import torch
import torch.distributed as dist
import uncompiled
from torch import nn
from torch.nn.parallel import DistributedDataParallel

uncompiled.leave_dynamo_out()

STEPS, WARM_UP = 20, 3


def late_data(lossy, model, x, rank, ranks):
    """One rank's data comes later."""

    def step(_):
        if rank == 1 and lossy:
            time.sleep(0.030)  # twin: late_data
        model(x).sum().backward()

    return step


def in_turn(lossy, model, x, rank, ranks):
    """In each step another rank comes later."""

    def step(number):
        if rank == number % ranks and lossy:
            time.sleep(0.030)  # twin: in_turn
        model(x).sum().backward()

    return step


def all_read(lossy, model, x, rank, ranks):
    """Each rank reads its loss before it prepares the next step."""
    losses = []

    def step(_):
        loss = model(x).sum()
        loss.backward()
        losses.append(loss.item() if lossy else loss.detach())  # twin: all_read
        time.sleep(0.008)

    return step


def all_load(lossy, model, x, rank, ranks):
    """Each rank makes its data in the loop, and reads its loss."""

    def step(_):
        if lossy:
            time.sleep(0.020)  # twin: all_load
        model(x).sum().backward()
        torch.cuda.current_stream().synchronize()

    return step


def evaluates(lossy, model, x, rank, ranks):
    """The first rank does something else in every fifth step."""

    def step(number):
        model(x).sum().backward()
        if rank == 0 and number % 5 == 2 and lossy:
            torch.cuda.current_stream().synchronize()
            time.sleep(0.080)  # twin: evaluates

    return step


def one_reads(lossy, model, x, rank, ranks):
    """The last rank alone reads its loss in each step, and then keeps its books."""

    def step(_):
        loss = model(x).sum()
        loss.backward()
        if rank == ranks - 1:
            if lossy:
                loss.item()  # twin: one_reads
            time.sleep(0.010)

    return step


CASES = (late_data, in_turn, all_read, all_load, evaluates, one_reads)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", choices=[case.__name__ for case in CASES])
    parser.add_argument("--without", action="store_true")
    options = parser.parse_args()
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl", timeout=datetime.timedelta(seconds=120))
    model = DistributedDataParallel(nn.Sequential(nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 64)).cuda())
    x = torch.ones(64, 256, device="cuda")
    [case] = [case for case in CASES if case.__name__ == options.case]
    step = case(not options.without, model, x, dist.get_rank(), dist.get_world_size())
    for number in range(WARM_UP):
        with torch.cuda.nvtx.range("warm-up"):
            model(x).sum().backward()
    torch.cuda.synchronize()
    dist.barrier()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for number in range(STEPS):
        with torch.cuda.nvtx.range("step"):
            step(number)
    torch.cuda.synchronize()
    dist.barrier()
    torch.cuda.synchronize()
    if dist.get_rank() == 0:
        print(f"steps: {STEPS} total_ms: {1e3 * (time.perf_counter() - begin):.3f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
