# SPDX-License-Identifier: Apache-2.0
"""Collectives of groups that were split from the whole (ncclCommSplit), one of a single rank, and a send, to be started by torchrun with
four ranks.

groups.py [STEPS]"""

import os
import sys

import torch
import torch.distributed as dist
from stages import stage


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("nccl", device_id=device)
    rank = dist.get_rank()
    pairs = [dist.new_group([first, first + 2]) for first in range(2)]
    single = [dist.new_group([only]) for only in range(dist.get_world_size())][rank]
    value = torch.ones(1024, device=device)
    for number in range(steps):
        with stage(f"step {number}"):
            dist.all_reduce(value)
            dist.all_reduce(value, group=pairs[rank % 2])
    dist.all_reduce(value, group=single)
    if rank < 2:
        dist.send(value, rank + 2)
    else:
        dist.recv(value, rank - 2)
    print(f"rank {rank}: {value[0].item()}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
