# SPDX-License-Identifier: Apache-2.0
"""A training loop that has no problem: batches come from pinned memory, one ahead in a stream of their own; nothing is read back before
the end; the device is never without work.

steady.py"""

import time

import torch
import uncompiled
from stages import stage
from torch import nn

uncompiled.leave_dynamo_out()

STEPS, WARM_UP = 30, 3


class Batches:
    """The next batch is on its way while this one is used."""

    def __init__(self):
        self.host = [torch.ones(256, 256).pin_memory() for _ in range(2)]
        self.own, self.turn = torch.cuda.Stream(), 0
        self.fetch()

    def fetch(self):
        with torch.cuda.stream(self.own):
            self.next = self.host[self.turn].to("cuda", non_blocking=True)
        self.turn = 1 - self.turn

    def take(self):
        current = torch.cuda.current_stream()
        current.wait_stream(self.own)
        batch = self.next
        batch.record_stream(current)
        self.fetch()
        return batch


def main():
    model = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 10)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    batches, total = Batches(), torch.zeros((), device="cuda")
    for number in range(WARM_UP + STEPS):
        if number == WARM_UP:
            torch.cuda.synchronize()
            begin = time.perf_counter()
        with stage("step" if number >= WARM_UP else "warm-up"):
            with stage("forward"):
                loss = model(batches.take()).square().mean()
            with stage("backward"):
                loss.backward()
            with stage("optimizer"):
                optimizer.step()
                optimizer.zero_grad()
                total += loss.detach()
    torch.cuda.synchronize()
    print(f"steps: {STEPS} total_ms: {1e3 * (time.perf_counter() - begin):.3f}")


if __name__ == "__main__":
    main()
