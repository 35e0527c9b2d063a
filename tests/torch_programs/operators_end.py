# SPDX-License-Identifier: Apache-2.0
"""Operators around the ends of processes and threads, on the CPU. Each thing to count is an operator that nothing else uses.

operators_end.py workers|fork|exit|kill|jit"""

import atexit
import os
import signal
import sys
import threading

import torch
from torch.autograd.profiler import record_function
from torch.utils.data import DataLoader, Dataset

X = torch.ones(4)


def count(times, operator=torch.logaddexp):
    for _ in range(times):
        operator(X, X)


class Counted(Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, _):
        count(1)
        return X


class Dies(torch.autograd.Function):
    @staticmethod
    def forward(_context, x):
        return x * 2

    @staticmethod
    def backward(_context, _gradient):
        count(7)
        os.kill(os.getpid(), signal.SIGKILL)


class CountsWhenGone:
    """Modules, and with them the names of this one, are gone by then."""

    def __del__(self, operator=torch.hypot, x=X):
        operator(x, x)


@torch.jit.script
def task(x):
    return torch.logaddexp(x, x)


@torch.jit.script
def tasks(x):
    first, second = torch.jit.fork(task, x), torch.jit.fork(task, x)
    return torch.jit.wait(first) + torch.jit.wait(second)


def workers():
    for _ in range(2):
        for _ in DataLoader(Counted(), num_workers=2, batch_size=4):
            pass


def fork():
    count(3)
    child = os.fork()
    if child == 0:
        with record_function("of the child"):
            count(5)
        os._exit(0)
    os.waitpid(child, 0)
    count(2)


def leave():
    """Python waits for the one thread, and leaves the other one where it is."""
    main, runs, stays = threading.current_thread(), threading.Event(), threading.Event()

    def work():
        main.join()
        count(50, torch.copysign)

    def wait():
        count(1, torch.fmod)
        runs.set()
        stays.wait()

    threading.Thread(target=work).start()
    threading.Thread(target=wait, daemon=True).start()
    runs.wait()
    atexit.register(count, 4, torch.atan2)
    sys.goes_last = CountsWhenGone()
    print("leaves")


def kill():
    x = torch.ones(4, requires_grad=True)
    with record_function("killed here"):
        Dies.apply(x).sum().backward()


def jit():
    torch.set_num_interop_threads(2)
    for _ in range(8):
        tasks(X)


if __name__ == "__main__":
    {"workers": workers, "fork": fork, "exit": leave, "kill": kill, "jit": jit}[sys.argv[1]]()
