# SPDX-License-Identifier: Apache-2.0
"""Functions whose arguments are tensors, which label their calls; the program counts them itself: tensor_labels.py TRUTH DEVICE

TRUTH: how many calls by label, form and function, as JSON. The last call does not return: the program kills itself in it."""

import asyncio
import collections
import json
import os
import signal
import sys

import torch

counts = collections.Counter()


class Own(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, arguments=(), keywords=None):
        raise RuntimeError("a label runs no code of the program's")


class Batch:
    def __init__(self, ids):
        self.ids = ids


def forward(ids, mask=None):
    pass


def nested(batch):
    pass


async def stream(a, b, c, d, e, f, g, h):
    await asyncio.sleep(0)


def last(ids):
    os.kill(os.getpid(), signal.SIGKILL)


def form(tensor):
    return f"{str(tensor.dtype).removeprefix('torch.')}{list(tensor.shape)}"


def main():
    truth, device = sys.argv[1:]
    for rows in (1, 2, 2, 40):
        ids = torch.zeros(rows, 7, dtype=torch.int64, device=device)
        counts[f"ids {form(ids)} forward"] += 1
        counts[f"mask {'bool[0]' if rows == 1 else 'None'} forward"] += 1
        forward(ids, torch.zeros(0, dtype=torch.bool, device=device) if rows == 1 else None)
        counts[f"batch.ids {form(ids)} nested"] += 1
        nested(Batch(ids))
    own = torch.ones(3).as_subclass(Own)
    for value, told in ((own, "float32[3]"), (torch.tensor(1.0, device=device), "float32[]"), ([ids], "(list)"), (torch.empty(5, 4, device="meta", dtype=torch.bfloat16), "bfloat16[5, 4]"),
                        (torch.nn.Parameter(torch.ones(2, 2, device=device)), "float32[2, 2]"), (7, "7")):
        counts[f"ids {told} forward"] += 1
        counts["mask None forward"] += 1
        forward(value)
    deep = torch.zeros([1] * 15 + [2], device=device)
    for label in "abcdefgh":
        counts[f"{label} {form(deep)} stream"] += 1
    asyncio.run(stream(*[deep] * 8))
    counts[f"ids {form(ids)} last"] += 1
    with open(truth, "w") as file:
        json.dump(counts, file)
    last(ids)


main()
