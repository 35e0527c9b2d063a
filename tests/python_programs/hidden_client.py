# SPDX-License-Identifier: Apache-2.0
"""A program whose library asks CUPTI for calls, and finds it by dlsym. Says what CUPTI answered, and how many callbacks came.
Usage: hidden_client.py LIBRARY early|late|never|takes"""

import ctypes
import sys
import threading
import time

BYTES = 1 << 20
path, when = sys.argv[1:]
cudart = ctypes.CDLL("libcudart.so.13")
memory = ctypes.c_void_p()


def work():
    assert cudart.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(BYTES)) == 0
    for _ in range(3):
        assert cudart.cudaMemset(memory, 1, ctypes.c_size_t(BYTES)) == 0
    assert cudart.cudaDeviceSynchronize() == 0


client = ctypes.CDLL(path) if when == "early" else None
work()
client = client or ctypes.CDLL(path)
if when == "never":
    sys.exit()
if when == "takes":
    print("answer", client.ClientTakesRecords())
    work()
    sys.exit()
if when == "late":
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
answer = client.ClientBegin()
until = time.monotonic() + 20
while when == "late" and answer == 39 and time.monotonic() < until:
    time.sleep(0.01)
    answer = client.ClientBegin()
work()
print("answer", answer, "calls", client.ClientEnd() > 0)
