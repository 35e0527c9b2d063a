# SPDX-License-Identifier: Apache-2.0
"""A small training loop of which each run has the same operators, forward and backward: convolution and linear layers, a function of
the program's own with a gradient, one of TorchScript, a thread that computes, and ranges that the program names.

small_training.py [STEPS] [DEVICE] [STEP]     STEP: what makes a step, record_function (the default), nvtx, or function: one_step() alone
$UNCOMPILED: as in uncompiled.py"""

import contextlib
import os
import sys
import threading

import torch
import uncompiled
from torch import nn
from torch.autograd.profiler import record_function


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(_context, x):
        return x * 2

    @staticmethod
    def backward(_context, gradient):
        return gradient * 2


@torch.jit.script
def scripted(x, y):
    return x * y + torch.relu(x - y)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution = nn.Conv2d(1, 4, 3)
        self.first = nn.Linear(144, 16)
        self.second = nn.Linear(16, 4)

    def forward(self, x):
        x = torch.relu(self.convolution(x)).flatten(1)
        return self.second(Doubled.apply(scripted(self.first(x), torch.ones_like(self.first.bias))))


def count_on(device):
    """Of another thread."""
    with record_function("another thread"):
        for _ in range(3):
            torch.arange(8, device=device).sum()


def one_step(model, optimizer, x, goal):
    with record_function("forward"):
        loss = nn.functional.cross_entropy(model(x), goal)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()


NAMED = {"record_function": record_function, "nvtx": torch.cuda.nvtx.range, "function": lambda _name: contextlib.nullcontext()}


def train(model, optimizer, steps, device, named):
    x = torch.randn(8, 1, 8, 8, device=device)
    goal = torch.zeros(8, dtype=torch.long, device=device)
    for step in range(steps):
        with named(f"step {step}"):
            one_step(model, optimizer, x, goal)


def main():
    if "UNCOMPILED" in os.environ:
        uncompiled.leave_dynamo_out()
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    device = sys.argv[2] if len(sys.argv) > 2 else "cuda"
    named = NAMED[sys.argv[3] if len(sys.argv) > 3 else "record_function"]
    torch.manual_seed(0)
    model = Model().to(device)
    train(model, torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9), 2, device, named)  # TorchScript has specialised
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    with record_function("compared"):
        train(model, optimizer, steps, device, named)
        thread = threading.Thread(target=count_on, args=(device,))
        thread.start()
        thread.join()
        if device != "cpu":
            torch.cuda.synchronize()


if __name__ == "__main__":
    main()
