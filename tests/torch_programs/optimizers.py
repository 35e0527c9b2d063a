# SPDX-License-Identifier: Apache-2.0
"""A training whose optimizer launches a kernel for each parameter and operation, or one for all.

optimizers.py single|foreach|fused [STEPS]"""

import sys

import torch
from torch import nn

HOW = {"single": {"foreach": False}, "foreach": {"foreach": True}, "fused": {"fused": True}}


def main(how, steps=30):
    model = nn.Sequential(*[layer for _ in range(24) for layer in (nn.Linear(64, 64), nn.ReLU())]).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), **HOW[how])
    x = torch.randn(64, 64).cuda()
    for _ in range(int(steps)):
        model(x).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()


main(*sys.argv[1:])
