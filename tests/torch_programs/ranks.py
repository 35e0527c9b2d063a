# SPDX-License-Identifier: Apache-2.0
"""Ranks of a training with NCCL, to be started by torchrun, that do not do the same in the same time. The line `problem: CASE` is what
one rank does more than the others.

ranks.py CASE     slow_rank: the host of one rank takes longer to prepare a batch; unbalanced_ranks: one rank has more batches;
                  late_in_graph: as slow_rank, where all that the GPU does in a step is one captured graph"""

import datetime
import os
import sys
import time

import torch
import torch.distributed as dist
from stages import stage
from torch import nn

STEPS, MORE_WORK, BATCHES, MORE_BATCHES = 10, 0.04, 2, 8


def augment(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def reduce_gradients(model, size):
    flat = torch.cat([parameter.grad.flatten() for parameter in model.parameters()])
    dist.all_reduce(flat)
    flat /= size


def captured(work):
    """`work` as a CUDA graph."""
    beside, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
    with torch.cuda.stream(beside):
        work()
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        work()
    return graph


def replay_steps(model, x, rank):
    def work():
        model(x).sum().backward()
        reduce_gradients(model, dist.get_world_size())

    graph = captured(work)
    for _ in range(STEPS):
        with stage("load"):
            augment(MORE_WORK if rank == 2 else 0)  # problem: late_in_graph
        with stage("compute"):
            graph.replay()
            torch.cuda.current_stream().synchronize()


def main():
    case, rank = sys.argv[1], int(os.environ["RANK"])
    slow, more = case == "slow_rank" and rank == 2, case == "unbalanced_ranks" and rank == 1
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl", timeout=datetime.timedelta(seconds=120))
    model = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 10)).cuda()
    x = torch.randn(64, 256, device="cuda")
    with stage("warm-up"):  # the first collective waits for the rank that started last
        dist.all_reduce(torch.zeros(1, device="cuda"))
        torch.cuda.synchronize()
    if case == "late_in_graph":
        replay_steps(model, x, rank)
    for _ in range(0 if case == "late_in_graph" else STEPS):
        with stage("step"):
            with stage("load"):
                augment(MORE_WORK if slow else 0)  # problem: slow_rank
            with stage("compute"):
                for _ in range(MORE_BATCHES if more else BATCHES):
                    model(x).sum().backward()  # problem: unbalanced_ranks
            with stage("reduce"):
                reduce_gradients(model, dist.get_world_size())
    torch.cuda.synchronize()
    print(f"rank {rank}: {STEPS} steps", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
