# SPDX-License-Identifier: Apache-2.0
"""A pipeline of ranks: each gets what the one before it sends, computes, and sends it on. Rank 1 is late with what it sends.

pipeline_ranks.py [ROUNDS] [--batched]"""

import os
import sys
import time

import torch
import torch.distributed as dist

LATE_S = 0.020


def pass_on(tensor, sends, peer, batched):
    """To the peer, or from it."""
    if batched:
        for work in dist.batch_isend_irecv([dist.P2POp(dist.isend if sends else dist.irecv, tensor, peer)]):
            work.wait()
    elif sends:
        dist.send(tensor, peer)
    else:
        dist.recv(tensor, peer)


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 10
    batched = "--batched" in sys.argv
    rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    device = torch.device("cuda", rank % torch.cuda.device_count())
    torch.cuda.set_device(device)
    dist.init_process_group("nccl")
    layer = torch.nn.Linear(256, 256).to(device)
    x = torch.ones(256, 256, device=device)
    with torch.no_grad():
        for number in range(rounds):
            torch.cuda.nvtx.range_push(f"round {number}")
            torch.cuda.nvtx.range_push("get")
            if rank != 0:
                pass_on(x, False, rank - 1, batched)
            torch.cuda.nvtx.range_pop()
            y = layer(x)
            if rank == 1:
                time.sleep(LATE_S)  # late: sends
            if rank != ranks - 1:
                pass_on(y, True, rank + 1, batched)
            torch.cuda.nvtx.range_pop()
    torch.cuda.synchronize()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
