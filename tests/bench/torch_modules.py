# SPDX-License-Identifier: Apache-2.0
"""What a call of a module that does nothing takes, ns of CPU time of a thread that has one core; and with global hooks of PyTorch's own that do
nothing. Prints one line of JSON."""

import json
import os
import statistics
import time

from torch import nn
from torch.nn.modules import module as hooks

ROUNDS = 15
CALLS = 200  # of 27 modules each
WIDTH = 12


class Nothing(nn.Module):
    def forward(self, x):
        return x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList(nn.Sequential(*[Nothing() for _ in range(WIDTH)]) for _ in range(2))

    def forward(self, x):
        for part in self.parts:
            x = part(x)
        return x


def cost(net):
    begin = time.thread_time_ns()
    for _ in range(CALLS):
        net(1)
    return (time.thread_time_ns() - begin) / CALLS / (2 * WIDTH + 3)


def main():
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    net, found = Net(), {"bare": [], "hooked": []}
    for _ in range(ROUNDS):
        found["bare"].append(cost(net))
        handles = [hooks.register_module_forward_pre_hook(lambda *_: None), hooks.register_module_forward_hook(lambda *_: None)]
        found["hooked"].append(cost(net))
        for handle in handles:
            handle.remove()
    print(json.dumps({way: statistics.median(times) for way, times in found.items()}))


if __name__ == "__main__":
    main()
