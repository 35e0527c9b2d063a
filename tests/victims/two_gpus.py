# SPDX-License-Identifier: Apache-2.0
"""Work for a CUDA device and for a Level Zero device, and a wait for each. Takes the Level Zero program's path."""

import ctypes
import runpy
import sys

cuda = ctypes.CDLL("libcudart.so.13")
memory, stream = ctypes.c_void_p(), ctypes.c_void_p()
calls = [cuda.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(256 << 20)), cuda.cudaStreamCreate(ctypes.byref(stream))]
for _ in range(3):
    calls.append(cuda.cudaMemsetAsync(memory, 0, ctypes.c_size_t(256 << 20), stream))
    calls.append(cuda.cudaStreamSynchronize(stream))
assert calls == [0] * len(calls), calls
runpy.run_path(sys.argv[1], run_name="__main__")
