# SPDX-License-Identifier: Apache-2.0
"""Two threads with steps of their own: `step I`, 40 of 20 matrix products, and `iter I of 20`, each of 60. Step 20 sleeps for 60 ms.

apart    each thread has a GPU
shared   they have one"""

import sys
import threading
import time

import torch

TOGETHER = threading.Barrier(2)


def loop(device, name, steps, products):
    data = torch.randn(256, 256, device=device)
    stream = torch.cuda.Stream(device)
    with torch.cuda.stream(stream):
        data @ data  # loads what is needed
        stream.synchronize()
        TOGETHER.wait()
        for i in range(steps):
            with torch.cuda.nvtx.range(name.format(i)):
                for _ in range(products):
                    data @ data
                if name.startswith("step") and i == 20:
                    time.sleep(0.06)
                stream.synchronize()


other = 1 if sys.argv[1] == "apart" else 0
threads = [threading.Thread(target=loop, args=(0, "step {}", 40, 20)), threading.Thread(target=loop, args=(other, "iter {} of 20", 20, 60))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
