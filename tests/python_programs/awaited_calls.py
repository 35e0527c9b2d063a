# SPDX-License-Identifier: Apache-2.0
"""Coroutines and asynchronous generators do_* that take turns on a thread, fail, are cancelled, closed, collected or left open: the
begins and ends of their calls, in order, one JSON list in the file TRUTH. Each has a number among the calls of its name.

awaited_calls.py TRUTH"""

import asyncio
import gc
import json
import os
import sys
import threading
import types

notes = []
counts = {}


class noted:
    """Around the body of a call."""

    def __init__(self, name):
        self.name = name
        self.number = counts[name] = counts.get(name, 0) + 1
        self.begin()

    def begin(self):
        notes.append(f"+{self.name} {self.number}")

    def end(self):
        notes.append(f"-{self.name} {self.number}")

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.end()


# ---- a server with eight requests at once


class Server:
    def __init__(self):
        self.queue = asyncio.Queue()

    async def do_request(self, number):
        with noted("Server.do_request"):
            done = asyncio.get_running_loop().create_future()
            await self.queue.put((number, done))
            text = [word async for word in self.do_stream(number)]
            return text + await done

    async def do_stream(self, number):
        with noted("Server.do_stream"):
            for word in range(number % 3 + 1):
                await asyncio.sleep(0.001 * (number % 4))
                yield word

    async def do_serve(self):
        with noted("Server.do_serve"):
            for _ in range(8):
                number, done = await self.queue.get()
                await asyncio.sleep(0.001)
                done.set_result([number])


async def serve():
    server = Server()
    serving = asyncio.ensure_future(server.do_serve())
    answers = await asyncio.gather(*(server.do_request(number) for number in range(8)))
    await serving
    assert [answer[-1] for answer in answers] == list(range(8))


# ---- endings


async def do_fail(depth):
    with noted("do_fail"):
        await asyncio.sleep(0)
        if depth == 0:
            raise ValueError("meant")
        await do_fail(depth - 1)


async def do_wait():
    with noted("do_wait"):
        await asyncio.sleep(100)


async def do_catch():
    """Goes on after it was cancelled."""
    with noted("do_catch"):
        try:
            await asyncio.sleep(100)
        except asyncio.CancelledError:
            await asyncio.sleep(0)


async def do_nothing_behind():
    noted("do_nothing_behind")
    await asyncio.sleep(100)


async def do_generate(count):
    with noted("do_generate"):
        for value in range(count):
            yield value
            await asyncio.sleep(0)


async def endings():
    failing = [asyncio.ensure_future(do_fail(depth)) for depth in range(4)]
    await asyncio.gather(*failing, return_exceptions=True)
    for function in (do_wait, do_catch):
        task = asyncio.ensure_future(function())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
    unstarted = asyncio.ensure_future(do_wait())
    unstarted.cancel()
    await asyncio.wait([unstarted])
    broken_off = do_generate(5)
    async for value in broken_off:
        if value == 1:
            break
    await broken_off.aclose()
    assert [value async for value in do_generate(3)] == [0, 1, 2]


class waits:
    def __await__(self):
        yield


async def do_by_hand():
    with noted("do_by_hand"):
        await waits()
        await waits()


async def do_by_hand_without_end():
    noted("do_by_hand_without_end")
    await waits()
    await waits()


@types.coroutine
def do_old_style():
    with noted("do_old_style"):
        yield
        yield


def step(coroutine):
    try:
        coroutine.send(None)
    except StopIteration:
        pass


def by_hand():
    three = [do_by_hand(), do_by_hand(), do_old_style()]
    for _ in range(3):
        for one in three:
            step(one)
    for end in ("close", "collect", "throw"):
        for function in (do_by_hand, do_by_hand_without_end):
            one = function()
            step(one)
            if end == "close":
                one.close()
            elif end == "throw":
                try:
                    one.throw(KeyError("meant"))
                except KeyError:
                    pass
            else:
                del one
                gc.collect()
            if function is do_by_hand_without_end:
                notes.append(f"-do_by_hand_without_end {counts['do_by_hand_without_end']}")
    circle = do_by_hand()
    step(circle)
    held = [circle]
    held.append(held)
    del circle, held
    gc.collect()
    do_by_hand().close()  # never began
    for _ in range(2000):  # frames at addresses of others that ended
        one = do_by_hand()
        step(one)
        one.close()


def threads():
    """Begun on one, ended on another."""
    one = do_by_hand()
    step(one)
    for _ in range(2):
        thread = threading.Thread(target=step, args=(one,))
        thread.start()
        thread.join()


def fork():
    """Is open in both processes; what the child does is no call of it."""
    one = do_by_hand()
    step(one)
    pid = os.fork()
    if pid == 0:
        one.close()
        other = do_by_hand()
        step(other)
        other.close()
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
    one.close()


def do_plain_generator():
    yield


if __name__ == "__main__":
    asyncio.run(serve())
    asyncio.run(endings())
    by_hand()
    threads()
    fork()
    list(do_plain_generator())
    left_open = [do_by_hand() for _ in range(3)]
    for one in left_open:
        step(one)
    print("calls:", len(counts))
    sys.stdout.flush()
    with open(sys.argv[1], "w") as file:
        json.dump(notes, file)
    os._exit(0)
