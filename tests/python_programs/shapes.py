# SPDX-License-Identifier: Apache-2.0
"""Shapes of code that wait for the GPU."""

import asyncio
import contextlib
import functools
import os
import signal
import sys
import threading

from frames import arm, gpu


def deep(depth):
    return deep(depth - 1) if depth else gpu(arm())


def plain():
    gpu(arm())
    gpu(arm()), gpu(
        arm()
    )
    value = [
        1,
        gpu(
            arm(),
        ),
        {"key":
         gpu(arm())},
    ]
    return (value
            and gpu(arm()) == 0
            and f"""{
                gpu(arm())
            } of {gpu(arm())}""")


def many_lines(first, *others, key=None):
    return len(others), key, gpu(arm())


def calls_over_lines():
    many_lines(
        many_lines(1,
                   2),
        *[gpu(arm())
          for _ in range(2)],
        key=many_lines(
            3))


def recursive(left):
    if left % 2:
        return recursive(
            left - 1)
    gpu(arm())
    return left and recursive(left - 1)


def generators():
    def numbers(count):
        for number in range(count):
            gpu(arm())
            yield number
        yield from (gpu(arm()) for _ in range(2))

    def both():
        received = yield from numbers(2)
        yield received
        try:
            yield
        finally:
            gpu(arm())

    list(numbers(2))
    generator = both()
    next(generator)
    for _ in range(4):
        generator.send(None)
    generator.close()
    with contextlib.suppress(ValueError):
        thrown = numbers(3)
        next(thrown)
        thrown.throw(ValueError())


def comprehensions():
    [gpu(arm()) for _ in range(2)]
    {gpu(arm()) for _ in range(2)}
    {number: gpu(arm())
     for number in range(2)
     if gpu(arm()) == 0}
    [[gpu(arm()) for _ in range(2)]
     for _ in
     [gpu(arm())]]
    (lambda: [gpu(arm()) for _ in range(1)])()
    class Body:
        values = [gpu(arm()) for _ in range(2)]
    return Body


def decorated():
    def before(function):
        gpu(arm())

        @functools.wraps(function)
        def wrapper(*arguments, **named):
            gpu(arm())
            return function(
                *arguments, **named)
        return wrapper

    @before
    @functools.lru_cache(None)
    @before
    def function(value=gpu(arm()), *, other=(
            gpu(arm()))):
        return gpu(arm())

    function(1)
    function(1)
    functools.partial(function, other=2)()


def classes():
    class Meta(type):
        def __new__(mcs, *arguments):
            gpu(arm())
            return super().__new__(mcs, *arguments)

        def __call__(cls, *arguments):
            gpu(arm())
            return super().__call__(*arguments)

    class Named:
        def __set_name__(self, owner, name):
            gpu(arm())

        def __get__(self, instance, owner):
            return gpu(arm())

    class Base:
        def __init__(self):
            gpu(arm())

        def __init_subclass__(cls):
            gpu(arm())

    class Derived(Base, metaclass=Meta):
        gpu(arm())
        named = Named()

        def __init__(self):
            super().__init__()
            self.value = 1

        @property
        def whole(self):
            return gpu(arm())

        @whole.setter
        def whole(self, value):
            gpu(arm())

        @classmethod
        def of_class(cls):
            gpu(arm())

        @staticmethod
        def of_none():
            gpu(arm())

        def __getattr__(self, name):
            return gpu(arm())

        def __getitem__(self, key):
            return gpu(arm())

        def __add__(self, other):
            return gpu(arm())

        def __eq__(self, other):
            return gpu(arm()) == 0

        def __len__(self):
            return gpu(arm())

        def __call__(self):
            return gpu(arm())

        def __del__(self):
            gpu(arm())

    thing = Derived()
    thing.whole = thing.named
    thing.of_class(), thing.of_none(), thing.missing, thing[1]
    thing + (
        thing == 3)
    len(thing), thing(), thing.whole
    [2, thing].index(thing)
    del thing


def contexts():
    class Context:
        def __enter__(self):
            gpu(arm())

        def __exit__(self, *error):
            gpu(arm())
            return True

    @contextlib.contextmanager
    def made():
        gpu(arm())
        try:
            yield
        finally:
            gpu(arm())

    with Context(), \
            made():
        gpu(arm())
        raise ValueError
    with made():
        try:
            1 / gpu(arm())
        except ZeroDivisionError:
            gpu(arm())
        else:
            gpu(arm())
        finally:
            gpu(arm())
    while gpu(arm()) == 0:
        if gpu(arm()) != 0:
            pass
        elif (
            gpu(arm()) == 0
        ):
            break


def from_c():
    sorted([2, 1], key=lambda value: gpu(arm()))
    list(map(lambda _: gpu(
        arm()), range(2)))
    max(1, 2, key=lambda _: (
        gpu(arm())))
    functools.reduce(lambda *_: gpu(arm()), range(4))
    [*filter(lambda _: gpu(arm()), "ab")]
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGUSR1, lambda *_: gpu(arm()))
        os.kill(os.getpid(), signal.SIGUSR1)
        signal.signal(signal.SIGUSR1, signal.SIG_DFL)


def executed():
    names = {"gpu": gpu, "arm": arm}
    exec("gpu(arm())\n\ngpu(\n  arm())", names)
    eval("[gpu(arm()),\n gpu(arm())]", names)
    exec("def inner():\n\n gpu(arm())\ninner()", names)
    own = os.path.join(os.getcwd(), "own.py")
    exec(compile("class Own:\n def method(self):\n  gpu(arm())\nOwn().method()", own, "exec"), names)
    for path in ("", "<made>", "./relative.py", "/caf\xe9/\u65e5\u672c.py", "/x/\U0001f600.py", '/a "b"\\c\n\x01.py'):
        exec(compile("def gr\xfc\xdfe_\u65e5():\n gpu(arm())\ngr\xfc\xdfe_\u65e5()\n" + "\n" * 300 + "gpu(arm())", path, "exec"), names)
    exec("def far():" + " \\\n" * 70000 + " gpu(arm())\nfar()", names)
    exec("def long():\n" + " names = 1\n" * 7000 + " gpu(arm())\nlong()", names)
    if sys.version_info >= (3, 10):
        exec("match gpu(arm()):\n case 0 if (\n   gpu(arm()) == 0):\n  gpu(arm())", names)
    if sys.version_info >= (3, 11):
        exec("try:\n raise ExceptionGroup('', [ValueError()])\nexcept* ValueError:\n gpu(arm())", names)
    if sys.version_info >= (3, 12):
        exec("type Lazy = (\n gpu(arm()))\nLazy.__value__\ndef f[T: gpu(arm())](t: T): gpu(arm())\nf(1)\n"
             "f.__type_params__[0].__bound__", names)


async def slow(value):
    gpu(arm())
    await asyncio.sleep(0)
    return gpu(
        arm())


class Asynchronous:
    async def __aenter__(self):
        await slow(1)

    async def __aexit__(self, *error):
        gpu(arm())

    async def __aiter__(self):
        for number in range(2):
            yield await slow(number)

    def __await__(self):
        gpu(arm())
        yield from slow(3).__await__()


async def coroutines():
    async with Asynchronous() as _:
        [gpu(arm()) async for _ in Asynchronous()]
        {await slow(2)
         for _ in range(2)}
    await Asynchronous()
    await asyncio.gather(slow(1), slow(2), *[
        asyncio.ensure_future(slow(3))])
    asyncio.get_running_loop().call_soon(lambda: gpu(arm()))
    await asyncio.sleep(0)
    await asyncio.wait_for(slow(4), 60)


def all_shapes():
    plain()
    calls_over_lines()
    recursive(7)
    generators()
    comprehensions()
    decorated()
    classes()
    contexts()
    from_c()
    executed()
    asyncio.run(coroutines())


def traced(work):
    sys.settrace(lambda *_: lambda *_: None)
    try:
        work()
    finally:
        sys.settrace(None)


def made_and_dropped(count):
    """Code of the same size, which takes the same memory one after the other."""
    for number in range(count):
        names = {"gpu": gpu, "arm": arm}
        exec(f"def made{number}(): gpu(arm())\nmade{number}()", names)
        path = f"/made/{number % 10}.py"
        exec(compile("def same():\n gpu(arm())\nsame()", path, "exec"), names)
        exec(f"class Made{number}:\n def same(self): gpu(arm())\nMade{number}().same()", names)
        exec("def body():\n" + " pass\n" * (number % 3) + " gpu(arm())\n" + " pass\n" * 2 + "body()", names)
    for number in range(count):
        more = {"co_qualname": f"X{number}.renamed"} if sys.version_info >= (3, 11) else {}
        code = deep.__code__.replace(co_name=f"renamed{number}", co_filename=f"/renamed/{number}.py", **more)
        type(deep)(code, {"gpu": gpu, "arm": arm})(0)
        del code
