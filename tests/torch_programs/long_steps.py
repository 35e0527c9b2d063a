# SPDX-License-Identifier: Apache-2.0
"""Steps of five matrix products, which run ahead of the GPU. Some have more than others, by the word that is given:

ahead    each 25th waits until the GPU has done all, which costs nothing
data     the data of each 20th come late, and the host is never ahead
memory   each 20th gives its memory back and takes it again, while the GPU has nothing to do
sort     each 20th sorts"""

import sys
import time

import torch

WORD, STEPS, EACH = sys.argv[1], 100, 20
model, data = torch.nn.Linear(256, 256).cuda(), torch.ones(64, 256).cuda()


def batches():
    for i in range(STEPS):
        if WORD == "data" and i % EACH == EACH - 1:
            time.sleep(0.1)  # late data
        yield data


def more(step):
    if WORD == "ahead" and step % 25 == 24:
        torch.cuda.synchronize()
    if WORD == "memory" and step % EACH == EACH - 1:
        torch.cuda.synchronize()
        held.clear()
        time.sleep(0.1)  # nothing to do
        held.append(torch.empty(64 << 20, device="cuda"))
    if WORD == "sort" and step % EACH == EACH - 1:
        torch.sort(data)


held = []
torch.sort(data)  # loads what is needed
model(data).sum().item()
for step, batch in enumerate(batches()):
    with torch.cuda.nvtx.range("step"):
        for _ in range(5):
            result = model(batch)
        more(step)
        if WORD == "data":
            result.sum().item()
torch.cuda.synchronize()
