# SPDX-License-Identifier: Apache-2.0
"""Calls of functions that bear labels, have signatures, or are coroutines: the nanoseconds of a call of each, as one JSON object. With `torch` two
arguments are tensors.

python_details.py [torch]"""

import asyncio
import json
import sys
import time

ROUNDS, CALLS = 30, 5000


class Batch:
    def __init__(self):
        self.size = 4


BATCH = Batch()
DATA = [0.5, {"mask": None, "flag": True}, (1, 2)]
if "torch" in sys.argv:
    import torch

    DATA = [torch.ones(2, 3), {"mask": torch.ones(4, 5), "flag": True}, (1, 2)]


def labelled(request_id, batch):
    return request_id


def signed(data, scale, name, flag=False, *, options=None):
    return data


async def awaited(request_id):
    return request_id


async def waiting(request_id):
    await asyncio.sleep(0)


def least(call):
    best = 1e9
    for _ in range(ROUNDS):
        begin = time.perf_counter_ns()
        for number in range(CALLS):
            call(number)
        best = min(best, (time.perf_counter_ns() - begin) / CALLS)
    return round(best, 1)


def send(coroutine):
    try:
        while True:
            coroutine.send(None)
    except StopIteration:
        pass


def main():
    print(json.dumps({
        "labelled": least(lambda number: labelled(number, BATCH)),
        "same_label": least(lambda number: labelled(7, BATCH)),
        "signed": least(lambda number: signed(DATA, 0.5, "name", options=BATCH)),
        "awaited": least(lambda number: send(awaited(number))),
        "waiting": least(lambda number: send(waiting(number))),
    }))


if __name__ == "__main__":
    main()
