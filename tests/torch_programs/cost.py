# SPDX-License-Identifier: Apache-2.0
"""What launches and training steps cost the host, for scripts/bench: one line of JSON with launches per CPU second of the launching
thread, and the CPU milliseconds and wall milliseconds of a step.

cost.py [--profiler [--with-stack]]     with torch.profiler recording, as a user would have it"""

import contextlib
import json
import statistics
import sys
import time

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile

LAUNCHES, STEPS, REPEATS = 5000, 40, 5


def launches():
    """Launches per second of this thread's CPU."""
    x = torch.ones(64, device="cuda")
    rates = []
    for _ in range(REPEATS):
        begin = time.thread_time()
        for _ in range(LAUNCHES):
            x.add_(1)
        rates.append(LAUNCHES / (time.thread_time() - begin))
        torch.cuda.synchronize()
    return statistics.median(rates)


def steps():
    """CPU and wall milliseconds of a step, of all threads."""
    model = nn.Sequential(nn.Linear(256, 512), nn.GELU(), nn.LayerNorm(512), nn.Linear(512, 10)).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    x, found = torch.randn(64, 256, device="cuda"), []
    for number in range(STEPS):
        cpu, wall = time.process_time(), time.perf_counter()
        model(x).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
        torch.cuda.synchronize()
        if number >= STEPS // 4:
            found.append((1e3 * (time.process_time() - cpu), 1e3 * (time.perf_counter() - wall)))
    return [statistics.median(column) for column in zip(*found)]


def main():
    activities = [ProfilerActivity.CPU, ProfilerActivity.CUDA]
    with profile(activities=activities, with_stack="--with-stack" in sys.argv) if "--profiler" in sys.argv else contextlib.nullcontext():
        rate = launches()
        cpu, wall = steps()
    print(json.dumps({"launches_per_cpu_s": rate, "step_cpu_ms": cpu, "step_wall_ms": wall}))


if __name__ == "__main__":
    main()
