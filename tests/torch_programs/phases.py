# SPDX-License-Identifier: Apache-2.0
"""A training that sleeps: 10 ms in its data, 20 ms forward, 40 ms backward, 30 ms in the optimizer, and 15 ms after it.

phases.py [STEPS] [DEVICE]"""

import sys
import time

import torch


class Data(torch.utils.data.Dataset):
    def __init__(self, length):
        self.length = length

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        time.sleep(0.010)
        return torch.ones(8)


class Slow(torch.autograd.Function):
    @staticmethod
    def forward(_context, x):
        time.sleep(0.020)
        return x * 2

    @staticmethod
    def backward(_context, gradient):
        time.sleep(0.040)
        return gradient * 2


class Optimizer(torch.optim.SGD):
    def step(self, closure=None):
        time.sleep(0.030)
        return super().step(closure)


def main(steps=5, device="cuda"):
    model = torch.nn.Linear(8, 8).to(device)
    optimizer = Optimizer(model.parameters(), lr=1e-3)
    for x in torch.utils.data.DataLoader(Data(int(steps)), batch_size=1):
        optimizer.zero_grad()
        Slow.apply(model(x.to(device))).sum().backward()
        optimizer.step()
        time.sleep(0.015)


main(*sys.argv[1:])
