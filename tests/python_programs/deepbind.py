# SPDX-License-Identifier: Apache-2.0
"""Libraries that are opened with RTLD_DEEPBIND, so that their calls pass a preloaded library by: one with NVTX, CUDA's runtime, Level Zero's loader, and one that
is linked to CUPTI. Says what CUPTI answered. Usage: deepbind.py NVTX_LIBRARY CUPTI_CLIENT"""

import ctypes
import os
import sys


def deep(path):
    return ctypes.CDLL(path, mode=os.RTLD_LOCAL | os.RTLD_NOW | os.RTLD_DEEPBIND)


BYTES = 1 << 20
nvtx, client = (deep(path) for path in sys.argv[1:])
cudart = deep("libcudart.so.13")
deep("libze_loader.so.1").zeInit(0)
memory = ctypes.c_void_p()
assert cudart.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(BYTES)) == 0
nvtx.user_work()
answer = client.ClientBegin()
for _ in range(3):
    assert cudart.cudaMemset(memory, 1, ctypes.c_size_t(BYTES)) == 0
assert cudart.cudaDeviceSynchronize() == 0
print("answer", answer)
