# SPDX-License-Identifier: Apache-2.0
"""A training in steps, each an NVTX range, whose backward runs on autograd's thread, all in a start/end range, and two calls of a coroutine: stepped.py [ARGUMENT]..."""

import asyncio
import sys

import torch

STEPS = 7


async def ask(net, data):
    net(data)
    await asyncio.sleep(0)
    net(data)


async def disturb(net, data):
    for _ in range(4):
        net(data)
        await asyncio.sleep(0)


async def serve(net, data):
    await asyncio.gather(ask(net, data), disturb(net, data), ask(net, data))


def main():
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.GELU(), torch.nn.Linear(64, 64)).cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    data = torch.ones(16, 64, device="cuda")
    for _ in range(3):
        net(data)  # outside of the steps
    whole = torch.cuda.nvtx.range_start("training")
    for _ in range(STEPS):
        with torch.cuda.nvtx.range("step"):
            with torch.cuda.nvtx.range("forward"):
                loss = net(data).sum()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
    torch.cuda.nvtx.range_end(whole)
    asyncio.run(serve(net, data))
    torch.cuda.synchronize()
    print(ascii(sys.argv[1:]))


if __name__ == "__main__":
    main()
