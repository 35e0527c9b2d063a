# SPDX-License-Identifier: Apache-2.0
"""Steps in which the GPU has nothing to do while the host does what is known: sampled_host.py TRUTH CASE [SECONDS]. Writes how long each function
took, and for how much of that its thread had a processor.

apart: two functions of one thread, of which one computes and one sleeps. gil: another thread holds Python's lock."""

import ctypes
import json
import sys
import threading
import time

cudart = ctypes.CDLL("libcudart.so.13")
memory = ctypes.c_void_p()
assert cudart.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(1 << 12)) == 0
told = {}


def launch():
    assert cudart.cudaMemsetAsync(memory, 0, ctypes.c_size_t(1 << 12), None) == 0
    assert cudart.cudaDeviceSynchronize() == 0


def collate(seconds):
    end = time.perf_counter() + seconds
    count = 0
    while time.perf_counter() < end:
        count += 1
    return count


def fetch(seconds):
    time.sleep(seconds)


def yields(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        time.sleep(0)  # and asks for the lock again


def log_metrics(ends):
    count = 0
    while not ends:
        count += 1


def timed(function, seconds, name=None):
    begin, ran = time.perf_counter(), time.thread_time()
    function(seconds)
    sums = told.setdefault(name or function.__name__, [0, 0])
    sums[0] += time.perf_counter() - begin
    sums[1] += time.thread_time() - ran


def main():
    truth, case, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3] if len(sys.argv) > 3 else 2)
    ends = []
    if case == "gil":
        threading.Thread(target=log_metrics, args=(ends,), daemon=True).start()
    launch()
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        timed(collate, 0.012)
        timed(yields if case == "gil" else fetch, 0.008)
        timed(lambda _: launch(), 0, "launch")
    ends.append(1)
    with open(truth, "w") as out:
        json.dump(told, out)


main()
