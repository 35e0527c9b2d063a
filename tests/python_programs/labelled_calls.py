# SPDX-License-Identifier: Apache-2.0
"""Functions whose arguments label their calls, which the program counts itself: for each label and value how many calls of which function, and
how much work they gave a GPU, as one JSON object in the file TRUTH. With `gpu` there is one.

labelled_calls.py TRUTH [gpu]"""

import asyncio
import collections
import ctypes
import enum
import json
import sys

counts = collections.Counter()
launched = collections.Counter()
BYTES = 1 << 20
ran = []  # what must not run when a label is read


class Gpu:
    def __init__(self):
        self.cudart = ctypes.CDLL("libcudart.so.13")
        self.memory, self.stream = ctypes.c_void_p(), ctypes.c_void_p()
        self.check(self.cudart.cudaMalloc(ctypes.byref(self.memory), ctypes.c_size_t(BYTES)))
        self.check(self.cudart.cudaStreamCreate(ctypes.byref(self.stream)))

    def check(self, status):
        if status != 0:
            raise OSError(f"CUDA says {status}")

    def work(self):
        self.check(self.cudart.cudaMemsetAsync(self.memory, 1, ctypes.c_size_t(BYTES), self.stream))


gpu = Gpu() if "gpu" in sys.argv else None


def count(function, work=0, **labels):
    """Each is a text as Python prints it."""
    for label, value in labels.items():
        counts[f"{label.replace('__', '.')} {value} {function}"] += 1
        launched[f"{label.replace('__', '.')} {value} {function}"] += work if gpu else 0


def work(times):
    for _ in range(times if gpu else 0):
        gpu.work()


class Batch:
    def __init__(self, size):
        self.size = size
        self.inner = self


class Slotted:
    __slots__ = ("size", "inner")

    def __init__(self, size):
        self.size, self.inner = size, self


class Guarded:
    """Says another value by code, which must not run."""

    kind = "of the class"

    def __init__(self, size):
        self.__dict__["size"] = size

    def __getattr__(self, name):
        ran.append(name)
        return 1

    @property
    def computed(self):
        ran.append("computed")
        return 1


class Watching:
    def __init__(self, size):
        object.__setattr__(self, "size", size)

    def __getattribute__(self, name):
        ran.append(name)
        return object.__getattribute__(self, name)


class Color(enum.IntEnum):
    RED = 3


class Text(str):
    def __str__(self):
        ran.append("str")
        return "another"

    __repr__ = __eq__ = __hash__ = __len__ = __str__


# ---- values


def do_value(value):
    pass


def values():
    for value in (0, -5, 1 << 62, True, False, None, 2.5, 1.0, "a text", "größe", ""):
        for _ in range(3):
            count("do_value", value=value)
            do_value(value)
    count("do_value", value=3)
    do_value(Color.RED)
    count("do_value", value="own text")
    do_value(Text("own text"))
    long = "ä" * 100
    count("do_value", value="ä" * 32 + "...")
    do_value(long)
    for other in (1 << 64, [1], Batch(1)):  # beyond 64 bits, or none of these
        count("do_value", value=f"({type(other).__name__})")
        do_value(other)


def do_several(first, *more, key=None, **named):
    return lambda: (first, key)  # a function within uses both


def several():
    for number in range(4):
        count("do_several", first=number, key=f"k{number % 2}")
        do_several(number, 1, 2, key=f"k{number % 2}", other=3)


# ---- attributes


def do_batch(batch):
    pass


def attributes():
    for made in (Batch, Slotted, Guarded, Watching):
        for size in (1, 2, 2):
            batch = made(size)
            count("do_batch", batch__size=size)
            do_batch(batch)
    for batch in (Batch, Slotted.__new__(Slotted), object(), None, 5):  # nothing of that name there
        count("do_batch", batch__size="(missing)")
        do_batch(batch)


def do_inner(batch):
    pass


def do_property(batch):
    pass


def do_class(batch):
    pass


def chains():
    for made in (Batch, Slotted):
        count("do_inner", batch__inner__inner__size=4)
        do_inner(made(4))
    count("do_property", batch__computed="(missing)")
    do_property(Guarded(1))
    count("do_class", batch__kind="of the class")
    do_class(Guarded(1))


# ---- a server with eight requests at once


class Server:
    async def do_request(self, request_id, batch):
        count("Server.do_request", work=request_id % 3 + 2, request_id=request_id, batch__size=batch.size)
        work(1)
        await asyncio.sleep(0.001 * (request_id % 4))
        for _ in range(request_id % 3):
            work(1)
            await asyncio.sleep(0.001)
        work(1)

    async def do_stream(self, request_id):
        count("Server.do_stream", work=3, request_id=request_id)
        for word in range(3):
            work(1)
            await asyncio.sleep(0)
            yield word

    async def ask(self, number):
        await self.do_request(number, Batch(number % 2))
        async for _ in self.do_stream(f"request {number}"):
            await asyncio.sleep(0)


async def serve():
    server = Server()
    for _ in range(2):
        await asyncio.gather(*(server.ask(number) for number in range(8)))


if __name__ == "__main__":
    values()
    several()
    attributes()
    chains()
    asyncio.run(serve())
    if gpu:
        gpu.check(gpu.cudart.cudaDeviceSynchronize())
    with open(sys.argv[1], "w") as file:
        json.dump({"counts": counts, "launched": launched, "ran": ran}, file)
    print("labels:", len(counts))
