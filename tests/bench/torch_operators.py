# SPDX-License-Identifier: Apache-2.0
"""What observers add to an operator of PyTorch, ns of CPU time of a thread that has one core, all in this process and in turn. Run it under
`syncline --torch ops --stages observed`: outside of that range PyTorch has no callback of ours.

torch_operators.py EMPTY_OBSERVER.so ops|shapes|lines     prints one line of JSON: medians of the rounds, and of their differences to bare;
profiler_whole_adds: with what torch.profiler does in the end, in all threads. shapes: all observers want inputs; lines:
torch.profiler takes stacks, as we do"""

import contextlib
import ctypes
import json
import os
import statistics
import sys
import time

import torch
from torch.profiler import ProfilerActivity, profile, record_function

CALLS = 20_000
ROUNDS = 15
PROFILED_CALLS = 5_000  # torch.profiler keeps what it sees in memory


def cost(calls):
    a, b = torch.randn(8), torch.randn(8)
    begin = time.thread_time_ns()
    for _ in range(calls):
        torch.add(a, b)
    return (time.thread_time_ns() - begin) / calls


@contextlib.contextmanager
def empty(observer, inputs):
    handle = observer.Observe(inputs)
    yield
    observer.Forget(handle)


def main():
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    observer = ctypes.CDLL(sys.argv[1])
    observer.Observe.restype, observer.Observe.argtypes, observer.Forget.argtypes = ctypes.c_uint64, [ctypes.c_bool], [ctypes.c_uint64]
    inputs, stacks = sys.argv[2] == "shapes", sys.argv[2] == "lines"
    ways = {
        "bare": lambda: (contextlib.nullcontext(), CALLS),
        "empty": lambda: (empty(observer, inputs), CALLS),
        "syncline": lambda: (record_function("observed"), CALLS),
        "profiler": lambda: (profile(activities=[ProfilerActivity.CPU], record_shapes=inputs, with_stack=stacks), PROFILED_CALLS),
    }
    found, whole = {way: [] for way in ways}, []
    with torch.no_grad():
        for _ in range(ROUNDS):
            for way, make in ways.items():
                around, calls = make()
                begin = time.process_time_ns()
                with around:
                    found[way].append(cost(calls))
            whole.append((time.process_time_ns() - begin) / calls)  # of the last way
    bare = found.pop("bare")
    added = {f"{way}_adds": median_above(times, bare) for way, times in found.items()}
    print(json.dumps({"bare": statistics.median(bare), **added, "profiler_whole_adds": median_above(whole, bare)}))


def median_above(times, bare):
    return statistics.median(ns - least for ns, least in zip(times, bare))


if __name__ == "__main__":
    main()
