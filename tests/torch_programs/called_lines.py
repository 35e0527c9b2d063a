# SPDX-License-Identifier: Apache-2.0
"""Operators at lines that are known: a training whose operators, forward and backward, are counted by the line that calls them.

called_lines.py STEPS"""

import sys

import torch


def scaled(x, factors):
    return torch.mul(x, factors)  # forward: mul; backward: mul for the factors


def root(x):
    for _ in range(2):
        x = torch.sqrt(x)
    return x


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        return torch.add(x, x)

    @staticmethod
    def backward(context, gradient):
        return torch.add(gradient, gradient)


def step(x, factors):
    y = root(scaled(x, factors))
    loss = Doubled.apply(y).sum()
    loss.backward()
    with torch.no_grad():
        factors.sub_(factors.grad)
    factors.grad = None


def main():
    torch.autograd.set_multithreading_enabled("one" not in sys.argv)
    x, factors = torch.ones(64, device="cuda"), torch.ones(64, device="cuda", requires_grad=True)
    for _ in range(int(sys.argv[1])):
        step(x, factors)
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
