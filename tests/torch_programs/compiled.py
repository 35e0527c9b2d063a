# SPDX-License-Identifier: Apache-2.0
"""Training steps of a compiled model: Inductor's kernels, made by Triton, are launched through the driver.

compiled.py [STEPS]"""

import sys

import torch
from stages import stage
from torch import nn


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    model = nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.LayerNorm(128), nn.Linear(128, 8)).cuda()
    compiled = torch.compile(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for number in range(steps):
        with stage(f"step {number}"):
            with stage("forward"):
                loss = compiled(torch.randn(32, 64, device="cuda")).square().sum()
            with stage("backward"):
                loss.backward()
            with stage("optimizer"):
                optimizer.step()
                optimizer.zero_grad()
    torch.cuda.synchronize()
    print(f"{steps} steps")


if __name__ == "__main__":
    main()
