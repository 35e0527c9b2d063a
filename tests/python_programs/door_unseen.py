# SPDX-License-Identifier: Apache-2.0
"""Prints what the wheel's module changes in a program, which is nothing: no error, none of the program's code runs, functions stay of their kind."""

import asyncio
import gc
import inspect
import sys
import weakref

import syncline

ran = []  # code of the program that nobody called


class Text(str):
    def __str__(self):
        ran.append("__str__")

    def encode(self, *_):
        ran.append("encode")

    def __getitem__(self, _):
        ran.append("__getitem__")


class Number(int):
    def _ask(self, *_):
        ran.append("number")
        raise RuntimeError

    __int__ = __index__ = __str__ = __repr__ = __lt__ = __le__ = __gt__ = __ge__ = __neg__ = __mod__ = bit_length = _ask


class Real(float):
    def _ask(self, *_):
        ran.append("real")
        raise RuntimeError

    __float__ = __str__ = __repr__ = _ask


class Watchful(type):
    def __getattribute__(cls, name):
        ran.append("metaclass " + name)
        return type.__getattribute__(cls, name)

    def __instancecheck__(cls, _):
        ran.append("instancecheck")


class Lazy(metaclass=Watchful):
    @property
    def __class__(self):
        ran.append("__class__")
        raise RuntimeError

    def __eq__(self, _):
        ran.append("__eq__")

    __hash__ = None
    __str__ = __repr__ = __eq__


@syncline.region("generator", kind="generator")
def generator():
    got = yield 1
    try:
        yield got
    except KeyError:
        yield "thrown"
    return "returned"


@syncline.region("generator of tasks")
async def steps():
    yield 1


@syncline.region("coroutine")
async def coroutine():
    return 2


@syncline.region("class")
class Class:
    @syncline.region("static", place="class")
    @staticmethod
    def static():
        return 3


@syncline.region("recursion")
def recursion(depth):
    return depth and 1 + recursion(depth - 1)


def opened(depth):
    with syncline.region("opened", depth=depth, text="t", odd=sys):
        return depth and 1 + opened(depth - 1)


class Held:
    pass


def values():
    with syncline.region("values", text=Text("a"), number=Number(5), large=Number(2**70), real=Real(0.5), lazy=Lazy(), endless=2**20000, **{Text("key"): 1}):
        pass
    for name in (Text("text as a name"), Number(77), Lazy(), "\ud800", None, b"\0", 2**20000):
        with syncline.region(name, Lazy()):
            pass
    held = Held()
    region, is_there = syncline.region("keeps nothing", value=held), weakref.ref(held)
    del held
    gc.collect()
    print(ran, is_there(), syncline.region("none yet").elapsed_ns, region is None)


def kinds():
    print(inspect.isgeneratorfunction(generator), inspect.isasyncgenfunction(steps), inspect.iscoroutinefunction(coroutine), inspect.isclass(Class), Class.static(), len.__name__)
    one = generator()
    print(next(one), one.send("sent"), one.throw(KeyError()), list(one), list(generator()))
    several = [generator() for _ in range(3)]
    print([next(one) for one in several], [one.close() for one in several])

    async def all_steps():
        return [step async for step in steps()], await coroutine()

    print(asyncio.run(all_steps()))
    print(syncline.region("builtin")(len) is len, syncline.region("instance")(Lazy) is Lazy)


def limit(function):
    """At the limit in each of the ways in which frames may fall on it."""
    endings = set()
    for way in range(12):
        try:
            (lambda: deeper(function, way))()
            endings.add("none")
        except BaseException as error:
            endings.add(type(error).__name__)
    print(function.__name__, endings)


def deeper(function, way):
    return deeper(function, way - 1) if way else function(10**6)


values()
kinds()
limit(recursion)
limit(opened)
