# SPDX-License-Identifier: Apache-2.0
"""Two functions that give a GPU work, one of which waits for it: ranges_gpu.py"""

import ctypes

cudart = ctypes.CDLL("libcudart.so.13")
BYTES = 64 << 20
memory, stream = ctypes.c_void_p(), ctypes.c_void_p()


def check(status):
    if status != 0:
        raise OSError(f"CUDA says {status}")


def do_step():
    do_work()
    do_wait()


def do_work():
    for _ in range(2):
        check(cudart.cudaMemsetAsync(memory, 1, ctypes.c_size_t(BYTES), stream))


def do_wait():
    check(cudart.cudaStreamSynchronize(stream))


def do_other():
    do_work()


check(cudart.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(BYTES)))
check(cudart.cudaStreamCreate(ctypes.byref(stream)))
for _ in range(3):
    do_step()
    do_other()
check(cudart.cudaDeviceSynchronize())
