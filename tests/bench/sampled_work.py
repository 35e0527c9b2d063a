# SPDX-License-Identifier: Apache-2.0
"""Work of about five seconds, 20 calls deep, with a call of the GPU now and then: sampled_work.py. Prints, as JSON, how much of a processor it took."""

import ctypes
import json
import time

cudart = ctypes.CDLL("libcudart.so.13")
memory = ctypes.c_void_p()
assert cudart.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(4096)) == 0


def work(depth, count):
    if depth:
        return work(depth - 1, count)
    total = 0
    for number in range(count):
        total += number * number
    return total


ran = time.thread_time()
for _ in range(300):
    work(20, 200_000)
    assert cudart.cudaMemsetAsync(memory, 0, ctypes.c_size_t(4096), None) == 0
    assert cudart.cudaDeviceSynchronize() == 0
print(json.dumps({"cpu_s": time.thread_time() - ran}))
