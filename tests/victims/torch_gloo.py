# SPDX-License-Identifier: Apache-2.0
"""Data-parallel training on the CPU: real PyTorch, gloo, ranges of the `nvtx` package."""

import os

import nvtx
import torch
import torch.distributed as dist


def main():
    dist.init_process_group("gloo")
    rank, size = dist.get_rank(), dist.get_world_size()
    model = torch.nn.Linear(8, 8)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(1, 4):
        with nvtx.annotate(f"ProfilerStep#{step}"):
            with nvtx.annotate("forward", domain="train"):
                loss = model(torch.ones(4, 8)).sum()
            with nvtx.annotate("backward", domain="train"):
                optimizer.zero_grad()
                loss.backward()
            with nvtx.annotate(f"all_reduce of rank {rank}"):
                for parameter in model.parameters():
                    dist.all_reduce(parameter.grad)
            optimizer.step()
    total = torch.tensor([float(rank)])
    dist.all_reduce(total)
    print(f"rank {rank} of {size} local {os.environ['LOCAL_RANK']} sum {total.item()}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
