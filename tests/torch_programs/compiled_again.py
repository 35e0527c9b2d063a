# SPDX-License-Identifier: Apache-2.0
"""Two functions that PyTorch's compiler compiles on the CPU, without making code: one for three sizes (the third needs nothing new) and
with a line that it cannot compile, and one once."""

import torch


def sized(x, factor):
    y = x * 2
    print("cannot be compiled")
    return y.sum() * factor


def plain(x):
    return x + 1


compiled, simple = (torch.compile(one, backend="eager") for one in (sized, plain))
for size in (8, 9, 10):
    compiled(torch.zeros(size), 3)
    simple(torch.zeros(4))
