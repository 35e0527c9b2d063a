# SPDX-License-Identifier: Apache-2.0
"""Ranges around an await, and what is none of that: awaiting_tasks.py tasks | started | recursion | plain"""

import random
import sys

import nvtx

ROUNDS = 40


def sum_of(depth):
    with nvtx.annotate("sum"):
        return 0 if depth == 0 else term(depth - 1)


def term(depth):
    with nvtx.annotate("term"):
        return 1 + (0 if depth == 0 else sum_of(depth - 1))


def ranges_of(name, started):
    if started:
        number = nvtx.start_range(name)
        return lambda: nvtx.end_range(number)
    nvtx.push_range(name)
    return nvtx.pop_range


async def work(name, chance, started):
    for _ in range(ROUNDS):
        end = ranges_of(name, started)
        for _ in range(chance.randint(1, 3)):
            await asyncio.sleep(0)
        end()
        for _ in range(chance.randint(0, 2)):
            await asyncio.sleep(0)


async def both(started):
    chance = random.Random(7)
    await asyncio.gather(work("read", chance, started), work("write", chance, started))


if sys.argv[1] != "plain":
    import asyncio
if sys.argv[1] in ("tasks", "started"):
    asyncio.run(both(sys.argv[1] == "started"))
else:
    for i in range(ROUNDS):
        sum_of(5)
