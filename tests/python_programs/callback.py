# SPDX-License-Identifier: Apache-2.0
"""Waits for the GPU in a function that C calls: the C library's qsort, which Python called."""

import ctypes

cuda = ctypes.CDLL("libcudart.so.13")
libc = ctypes.CDLL("libc.so.6")


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
def compare(a, b):
    cuda.cudaDeviceSynchronize()
    return 0


def sort():
    numbers = (ctypes.c_int * 2)(2, 1)
    libc.qsort(numbers, 2, 4, compare)


sort()
