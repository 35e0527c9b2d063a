# SPDX-License-Identifier: Apache-2.0
"""Each kind of wait that a program of PyTorch can come to, in a range of its class's name (docs/waits.md), behind kernels that still run.
A queue is full after fewer launches than here where SIMGPU_QUEUE says so.

waits.py [TIMES]"""

import ctypes
import sys

import torch
from stages import stage

DEVICE_TO_HOST = 2
LAUNCHES = 72  # more than the queue holds; that of graphs is only known to be full behind 64


def work(x):
    """Three kernels."""
    return x.mul_(2).add_(1).neg_()


def synchronise(x, side, event):
    with stage("device"):
        work(x)
        torch.cuda.synchronize()
    with stage("stream"), torch.cuda.stream(side):
        work(x)
        side.synchronize()
    with stage("event"):
        work(x)
        event.record()
        event.synchronize()
    with stage("query_spin"):
        work(x)
        event.record()
        while not event.query():
            pass
    with stage("legacy_stream"):
        work(x)[0].item()


def copy(x, pageable, cudart):
    with stage("pageable_copy"):
        work(x)
        x.cpu()
        work(x)
        x.copy_(pageable)
    with stage("sync_copy"):
        work(x)
        address, size = ctypes.c_void_p(pageable.data_ptr()), ctypes.c_size_t(4 * pageable.numel())
        error = cudart.cudaMemcpy(address, ctypes.c_void_p(x.data_ptr()), size, DEVICE_TO_HOST)
        assert error == 0, error


def free(x):
    with stage("allocation"):
        big = torch.empty(64 << 20, device="cuda")
        work(x)
        del big
        torch.cuda.empty_cache()


def fill(x, graph):
    torch.cuda.synchronize()
    with stage("queue_full"):
        for _ in range(LAUNCHES):
            x.add_(1)
    torch.cuda.synchronize()
    with stage("graph"):
        for _ in range(LAUNCHES):
            graph.replay()
    torch.cuda.synchronize()


def main():
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    pageable = torch.ones(1 << 18)  # 1 MiB
    x, side, event = pageable.cuda(), torch.cuda.Stream(), torch.cuda.Event()
    cudart, graph = ctypes.CDLL("libcudart.so.13"), torch.cuda.CUDAGraph()
    with stage("module_load"):
        work(x)
        torch.erfinv(x)  # its first launch loads it
    with torch.cuda.graph(graph):
        work(x)
    for _ in range(times):
        synchronise(x, side, event)
        copy(x, pageable, cudart)
        free(x)
    fill(x, graph)
    print(f"{times} times each wait")


if __name__ == "__main__":
    main()
