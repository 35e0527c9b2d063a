# SPDX-License-Identifier: Apache-2.0
"""Steps of a training, between which functions are compiled for a GPU: `fused` before the second step, and again for another dtype before
the fourth; `broken`, which cannot be compiled in one piece, before the third; `fallen`, of which an operator has no kernel of the compiler's, before the fifth.
The truth of each line stands behind it."""

import torch


def fused(x, y):  # function fused
    z = torch.relu(x + y)  # kernel add relu
    return z * 2.0  # kernel mul


def broken(x):  # function broken
    y = x + 1
    print("cannot be compiled")  # break
    return y * 3  # rest of broken


def fallen(x):  # function fallen
    return torch.histc(x, 4, 0, 1).sin()  # fallback


def main():
    model = torch.nn.Linear(4, 4).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    compiled = {one: torch.compile(one) for one in (fused, broken, fallen)}
    x = torch.ones(16, 16, device="cuda")
    y = torch.zeros(16, 16, device="cuda")
    for step in range(6):
        calls = {1: (fused, x, y), 2: (broken, x), 3: (fused, x.double(), y.double()), 4: (fallen, x)}
        if step in calls:
            function, *inputs = calls[step]
            with torch.cuda.nvtx.range(f"call {step}"):
                compiled[function](*inputs)
        model(x[:, :4]).sum().backward()
        optimizer.step()
        torch.cuda.synchronize()


main()
