# SPDX-License-Identifier: Apache-2.0
"""Memsets on a GPU in regions that ask for their device time; a line for each with what it is told."""

import asyncio
import ctypes
import time

import syncline

cudart = ctypes.CDLL("libcudart.so.13")
memory = ctypes.c_void_p()
assert cudart.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(1 << 16)) == 0


def work(times):
    for _ in range(times):
        assert cudart.cudaMemsetAsync(memory, 0, ctypes.c_size_t(1 << 16), None) == 0


def tell(name, region):
    until = time.monotonic() + 5
    while region.device_time()[1] == "pending" and time.monotonic() < until:
        time.sleep(0.001)
    ns, state = region.device_time()
    assert region.device_ns == (ns if state == "complete" else None)
    print(name, state, ns)


async def task():
    async with syncline.region("task", syncline.DEVICE_TIME) as region:
        work(1)
    tell("task", region)


# A label may have any name.
with syncline.region("outer", syncline.DEVICE_TIME, flags=1, device_time=True) as outer:
    work(2)
    with syncline.region("inner", syncline.DEVICE_TIME) as inner:
        work(3)
    print("open", *reversed(outer.device_time()))
tell("outer", outer)
tell("inner", inner)
with syncline.region("not asked") as other:
    work(1)
tell("not asked", other)
asyncio.get_event_loop_policy().new_event_loop().run_until_complete(task())


@syncline.region("decorated", syncline.DEVICE_TIME)
def decorated():
    work(1)


decorated()
again = syncline.region("again", syncline.DEVICE_TIME)
for count in (1, 4):
    with again:
        work(count)
    tell("again", again)
assert cudart.cudaDeviceSynchronize() == 0
