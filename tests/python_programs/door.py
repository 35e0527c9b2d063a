# SPDX-License-Identifier: Apache-2.0
"""The wheel's module in a program: regions by `with`, as decorators, in tasks of asyncio that take turns, in a thread; what it was told."""

import asyncio
import sys
import threading

import syncline


@syncline.region("decorated", kind="function")
def decorated(value):
    return value + 1


@syncline.region("awaited", kind="coroutine")
async def awaited(value):
    await asyncio.sleep(0)
    return value + 1


async def request(number):
    async with syncline.region("request", number=number):
        for _ in range(3):
            await asyncio.sleep(0.001)
    return await awaited(number)


async def serve():
    return await asyncio.gather(*(request(i) for i in range(4)))


class Odd:
    def __str__(self):
        raise RuntimeError("nobody may ask")


def labels():
    with syncline.region("labels", whole=7, negative=-1, real=0.25, text="a é\n", yes=True, none=None, large=2**70, odd=Odd(), **{"a\nkey": 2}):
        pass
    with syncline.region("long " + "x" * 5000, text="y" * 1000):
        pass


def main():
    with syncline.region("outer") as outer:
        with syncline.region("step 1"):
            value = decorated(1)
        try:
            with syncline.region("failing"):
                raise ValueError
        except ValueError:
            pass
        thread = threading.Thread(target=decorated, args=(5,), name="worker")
        thread.start()
        thread.join()
    labels()
    served = asyncio.run(serve())
    paused = syncline.pause()
    with syncline.region("while paused"):
        during = syncline.is_recording()
    resumed = syncline.resume()
    syncline.flush()
    print(value, served, decorated.__name__, paused, during, resumed, outer.elapsed_ns > 0, "ctypes" in sys.modules)
    print(syncline.output_dir())


main()
