# SPDX-License-Identifier: Apache-2.0
"""Calls with arguments whose code must not run (it would end the program), that nest in themselves, are huge or of every type; calls that are kept
open by the thousand, end on other threads and in a fork's child; functions that are made over and over. Says `done` if nothing ran and nothing was
kept alive.

hostile_calls.py"""

import asyncio
import collections
import dataclasses
import functools
import gc
import os
import sys
import threading
import types
import weakref


def ends(status):
    """A method that ends the program."""
    return lambda *unused, **named: os._exit(status)


class Evil:
    __getattribute__, __eq__, __len__, __repr__ = ends(101), ends(102), ends(103), ends(104)
    __hash__ = object.__hash__


class EvilDict(dict):
    __iter__ = items = keys = get = __getitem__ = __len__ = ends(105)


class EvilList(list):
    __iter__ = __getitem__ = __len__ = ends(106)


class EvilText(str):
    __str__ = __len__ = __iter__ = __eq__ = ends(107)
    __hash__ = str.__hash__


class EvilInt(int):
    __int__ = __index__ = ends(108)


class EvilFloat(float):
    __float__ = ends(109)


class EvilMeta(type):
    __instancecheck__ = __getattribute__ = ends(110)


EvilClass = EvilMeta("EvilClass", (), {})


class Descriptor:
    __get__ = ends(111)


class Holder:
    x = Descriptor()
    y = property(ends(112))
    z = functools.cached_property(ends(113))


class Slots:
    __slots__ = ("x", "y")


@dataclasses.dataclass
class Data:
    x: int = 3
    y: object = None


class Waits:
    def __await__(self):
        yield


def do_any(a, b=None, *more, k=1, **kw):
    return a


def do_label(a):
    pass


def do_cells(a, b):
    return lambda: (a, b)


def do_delete(a):
    del a


def do_generate(a):
    yield a


async def do_wait(a):
    await asyncio.sleep(0)
    return a


async def do_open(a):
    await Waits()


def do_recur(depth):
    return do_recur(depth - 1) if depth else 0


Pair = collections.namedtuple("Pair", "x y")
itself, holds_itself, deep, circle = [], {}, [], types.SimpleNamespace(y=5)
itself.append(itself)
holds_itself["me"] = holds_itself
circle.x = circle
for _ in range(500):
    deep = [deep]
VALUES = [
    Evil(), EvilDict(a=1), EvilList([1, 2]), EvilText("x"), EvilInt(3), EvilFloat(2.0), EvilClass, Holder(), Slots(), Data(), Pair(1, 2), itself,
    holds_itself, list(range(100000)), deep, circle, "\ud800", "\U0001F600" * 100, "a\0b", "x" * 10**6, b"bytes", 10**100, float("nan"),
    float("inf"), -0.0, 1j, range(3), {1, 2}, frozenset(), Ellipsis, NotImplemented, type, int, len, sys, lambda: 1, {EvilText("k"): 1},
    {1: 2, None: 3, (1, 2): 4}, [None] * 17, {i: i for i in range(40)}, memoryview(b"x"), weakref.ref(Holder), iter([]), object(),
    [[[[0.0] * 16 for _ in range(16)] for _ in range(16)] for _ in range(16)],  # has no room, neither as argument nor as result
]


def values():
    for value in VALUES:
        do_any(value)
        do_any([value], value, value, k=value, z=value)
        do_any({"k": value})
        do_cells(value, value)()
        do_delete(value)
        list(do_generate(value))
        do_label(value)


async def waits():
    await asyncio.gather(*(do_wait(value) for value in VALUES * 3))


def kept_alive():
    one = Holder()
    reference = weakref.ref(one)
    do_any(one, k=[one])
    coroutine = do_open(one)
    coroutine.send(None)
    del one, coroutine
    gc.collect()
    assert reference() is None


def many():
    """More than can be open."""
    coroutines = [do_open(number) for number in range(6000)]
    for one in coroutines:
        one.send(None)
    closing = threading.Thread(target=lambda: [one.close() for one in coroutines[1000:2000]])
    closing.start()
    closing.join()
    del coroutines[:3000]
    gc.collect()
    child = os.fork()
    if child == 0:
        for one in coroutines:
            one.close()
        asyncio.run(waits())
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def threads():
    several = [threading.Thread(target=lambda: [do_any(number, k=str(number)) for number in range(300)]) for _ in range(6)]
    for one in several:
        one.start()
    for one in several:
        one.join()


def made():
    for number in range(500):
        names = {}
        exec(f"def do_made(a, b={number}): return a\nasync def do_made_too(a): return a", names)
        names["do_made"](number)
        try:
            names["do_made_too"](number).send(None)
        except StopIteration:
            pass


if __name__ == "__main__":
    values()
    asyncio.run(waits())
    kept_alive()
    many()
    threads()
    do_recur(400)
    made()
    print("done")
