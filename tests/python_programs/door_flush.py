# SPDX-License-Identifier: Apache-2.0
"""Memsets on a GPU within a region, then waits, flushes if it is told to, and is killed at once."""

import ctypes
import os
import signal
import sys

import syncline

cudart = ctypes.CDLL("libcudart.so.13")
memory = ctypes.c_void_p()
assert cudart.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(1 << 16)) == 0
with syncline.region("work", times=40):
    for _ in range(40):
        assert cudart.cudaMemsetAsync(memory, 0, ctypes.c_size_t(1 << 16), None) == 0
    assert cudart.cudaDeviceSynchronize() == 0
if sys.argv[1:] == ["flush"]:
    syncline.flush()
os.kill(os.getpid(), signal.SIGKILL)
