# SPDX-License-Identifier: Apache-2.0
"""A model whose process ends in the middle of a module's call: modules_end.py kill|exit|fork|deep"""

import os
import signal
import sys

import torch
from torch import nn


class Ending(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x, how):
        x = self.linear(x)
        if how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if how == "exit":
            os._exit(3)
        if how == "fork":
            if os.fork() == 0:
                self.linear(x)
                os._exit(0)
            os.wait()
        return self.linear(x)


class Deep(nn.Module):
    def forward(self, x):
        return x if x == 0 else self(x - 1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.ending = Ending()

    def forward(self, x, how):
        return self.ending(x, how)


if __name__ == "__main__":
    if sys.argv[1] == "deep":
        sys.setrecursionlimit(3000)
        try:
            Deep()(100000)
        except RecursionError:
            print("too deep")
    else:
        Net()(torch.ones(2, 4), sys.argv[1])
