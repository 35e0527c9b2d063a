# SPDX-License-Identifier: Apache-2.0
"""A function that Inductor compiles for the CPU: two lines become one kernel, and one is a call of a library."""

import torch


def function(x):
    y = torch.relu(x + 1)
    z = y * 2
    return z @ x


torch.compile(function)(torch.ones(16, 16))
