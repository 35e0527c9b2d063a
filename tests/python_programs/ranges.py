# SPDX-License-Identifier: Apache-2.0
"""Functions do_* of every kind, which note themselves when they begin, wait, go on and end: one JSON object for each process, the notes of each
thread in order, in the file TRUTH.PID.

ranges.py TRUTH PART..."""

import asyncio
import functools
import json
import multiprocessing
import os
import sys
import threading

TRUTH = sys.argv[1] if len(sys.argv) > 1 else os.environ["RANGES_TRUTH"]
notes = {}


def note(sign, name):
    notes.setdefault(threading.get_native_id(), []).append(sign + name)


class noted:
    """Around the body of a function that does not wait."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        note("+", self.name)

    def __exit__(self, *unused):
        note("-", self.name)


def write():
    with open(f"{TRUTH}.{os.getpid()}", "w") as file:
        json.dump(notes, file)


# ---- functions


def passing(function):
    @functools.wraps(function)
    def do_wrapper(*arguments):
        with noted("passing.<locals>.do_wrapper"):
            return function(*arguments)

    return do_wrapper


def do_plain(depth=0):
    with noted("do_plain"):
        return do_plain(depth - 1) if depth else unchosen()


def unchosen():
    return sum(i for i in range(3))


@passing
def do_decorated(value, *, key=None):
    with noted("do_decorated"):
        return value


class Model:
    def forward(self):
        with noted("Model.forward"):
            return self.do_property + self.do_static() + type(self).do_class()

    @property
    def do_property(self):
        with noted("Model.do_property"):
            return 1

    @staticmethod
    def do_static():
        with noted("Model.do_static"):
            return 2

    @classmethod
    def do_class(cls):
        with noted("Model.do_class"):
            return 3

    def __call__(self):
        return self.forward()


class Child(Model):
    def forward(self):
        with noted("Child.forward"):
            return super().forward()


def functions():
    for round in range(3):
        do_plain(4)
        do_decorated(1)
        Model()()
        Child()()

        def do_closure():
            with noted("functions.<locals>.do_closure"):
                return round

        do_closure()
        sorted([3, 1, 2], key=lambda value: do_plain() or value)
    for number in range(200):
        names = {"__name__": f"made{number % 2}", "noted": noted}
        exec("def do_made():\n    with noted('do_made'):\n        return 1\ndo_made()", names)


# ---- exceptions


def do_raise(depth):
    with noted("do_raise"):
        if depth == 0:
            raise ValueError("meant")
        do_raise(depth - 1)


def do_catch():
    with noted("do_catch"):
        try:
            do_raise(3)
        except ValueError:
            do_plain()


def exceptions():
    for _ in range(3):
        do_catch()
        try:
            do_raise(2)
        except ValueError:
            pass


# ---- generators


def do_generate(count):
    note("+", "do_generate")
    try:
        for value in range(count):
            note("-", "do_generate")
            try:
                yield value
            finally:
                note("+", "do_generate")
            do_plain()
    finally:
        note("-", "do_generate")


def do_delegate(count):
    """While the inner one waits, so does this: it cannot note that itself."""
    note("+", "do_delegate")
    yield from do_inner(count)
    note("-", "do_delegate")


def do_inner(count):
    note("+", "do_inner")
    for value in range(count):
        note("-", "do_inner")
        note("-", "do_delegate")
        yield value
        note("+", "do_delegate")
        note("+", "do_inner")
    note("-", "do_inner")


def generators():
    list(do_generate(3))
    two = [do_generate(2), do_generate(2)]
    for _ in range(2):
        for one in two:
            next(one)
    for one in two:
        one.close()
    thrown = do_generate(5)
    next(thrown)
    try:
        thrown.throw(KeyError("meant"))
    except KeyError:
        pass
    left = do_generate(5)
    next(left)
    del left
    do_generate(5)
    list(do_delegate(3))


# ---- coroutines


class pause:
    """What a coroutine waits for, which notes the functions that wait with it, from the outer one to the inner one."""

    def __init__(self, *names):
        self.names = names

    def __await__(self):
        for name in reversed(self.names):
            note("-", name)
        yield
        for name in self.names:
            note("+", name)


async def do_task(number):
    with noted("do_task"):
        for _ in range(number):
            await do_step()
        await pause("do_task")
        if number == 2:
            raise ValueError("meant")
        return [value async for value in do_async_generate()]


async def do_step():
    with noted("do_step"):
        await pause("do_task", "do_step")
        do_plain()
        await pause("do_task", "do_step")


async def do_async_generate():
    note("+", "do_async_generate")
    for value in range(2):
        await pause("do_task", "do_async_generate")
        note("-", "do_async_generate")
        yield value
        note("+", "do_async_generate")
    note("-", "do_async_generate")


async def do_gather():
    note("+", "do_gather")
    tasks = [asyncio.ensure_future(do_task(number)) for number in range(5)]
    note("-", "do_gather")
    await asyncio.gather(*tasks, return_exceptions=True)
    note("+", "do_gather")
    cancelled = asyncio.ensure_future(do_cancelled())
    await pause("do_gather")
    cancelled.cancel()
    await pause("do_gather")
    note("-", "do_gather")


async def do_cancelled():
    note("+", "do_cancelled")
    note("-", "do_cancelled")
    try:
        await asyncio.sleep(100)
    finally:
        note("+", "do_cancelled")
        note("-", "do_cancelled")


def coroutines():
    asyncio.run(do_gather())


# ---- threads and processes


def do_work(rounds):
    with noted("do_work"):
        for _ in range(rounds):
            do_plain(2)
            exceptions()
            list(do_generate(2))


def threads():
    several = [threading.Thread(target=do_work, args=(20,)) for _ in range(4)]
    for one in several:
        one.start()
    for one in several:
        one.join()


def worker(rounds):
    notes.clear()
    do_work(rounds)
    write()


def do_start(method):
    with noted("do_start"):
        context = multiprocessing.get_context(method)
        several = [context.Process(target=worker, args=(rounds,)) for rounds in (1, 2)]
        for one in several:
            one.start()
        for one in several:
            one.join()
        assert [one.exitcode for one in several] == [0, 0]


def fork():
    do_start("fork")


def spawn():
    do_start("spawn")


if __name__ == "__main__":
    os.environ["RANGES_TRUTH"] = TRUTH
    for part in sys.argv[2:]:
        globals()[part]()
    print("parts:", *sys.argv[2:])
    write()
