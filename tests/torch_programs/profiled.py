# SPDX-License-Identifier: Apache-2.0
"""A training loop that profiles itself: torch.profiler records some steps of it, and writes its own trace.

profiled.py TRACE.json [STEPS]     the steps from the third on are recorded, but for the last two"""

import sys

import torch
from stages import stage
from torch import nn
from torch.profiler import ProfilerActivity, profile, record_function, schedule


def main():
    path, steps = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 8
    model = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 10)).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    x = torch.randn(64, 256).pin_memory()

    def step(number):
        with stage(f"step {number}"), record_function("step"):
            model(x.cuda(non_blocking=True)).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
        torch.cuda.synchronize()

    plan = schedule(wait=1, warmup=1, active=steps - 4, repeat=1)
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], schedule=plan) as profiler:
        profiler.on_trace_ready = lambda done: done.export_chrome_trace(path)
        for number in range(steps):
            step(number)
            profiler.step()
    print(f"{steps} steps")


if __name__ == "__main__":
    main()
