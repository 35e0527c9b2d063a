# SPDX-License-Identifier: Apache-2.0
"""Programs that lose time in one known way, and what they are without it. What a case loses time with is at its line `twin: CASE`, or in
its range. tests/harness/twins.py has the table of the cases and the durations of their kernels.

twins.py CASE [--without] [--size N] [--loops N]

--size: of the layers, 256 by default; a real GPU needs larger ones to be busy for as long. --loops: so many times the steps are
measured, one by default, a line each."""

import argparse
import time

import torch
import uncompiled
from stages import stage
from torch import nn

uncompiled.leave_dynamo_out()

STEPS, WARM_UP, PREPARE = 20, 3, 0.001
LOG_EVERY = 4


def compute(seconds):
    """What the host has to compute itself."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


class Training:
    size = 256

    def __init__(self):
        size = self.size
        self.model = nn.Sequential(nn.Linear(size, 2 * size), nn.ReLU(), nn.Linear(2 * size, 10)).cuda()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.x, self.y = torch.randn(size // 4, size, device="cuda"), torch.zeros(size // 4, 10, device="cuda")

    def step(self, x=None):
        loss = nn.functional.mse_loss(self.model(self.x if x is None else x), self.y)
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        return loss.detach()


def item(lossy):
    training, losses = Training(), []

    def step(_):
        compute(PREPARE)
        loss = training.step()
        losses.append(loss.item() if lossy else loss)  # twin: item

    return step


def items(lossy):
    training, log = Training(), []

    def step(_):
        compute(PREPARE)
        loss = training.step()
        for number in range(10):
            metric = loss * number
            log.append(metric.item() if lossy else metric)  # twin: items

    return step


def loss_cpu(lossy):
    training, log = Training(), []

    def step(_):
        compute(PREPARE)
        loss = training.step()
        log.append(loss.cpu() if lossy else loss)  # twin: loss_cpu

    return step


def cuda_sync(lossy):
    """As one measures the time of a step."""
    training = Training()

    def step(_):
        compute(PREPARE)
        if lossy:
            torch.cuda.synchronize()
        training.step()
        if lossy:
            torch.cuda.synchronize()  # twin: cuda_sync

    return step


def mask(lossy):
    """How many elements are chosen: as a shape, or as a number that stays on the device."""
    training, counts = Training(), []

    def step(_):
        chosen = training.x > 0
        counts.append(chosen.nonzero().shape[0] if lossy else chosen.sum())  # twin: mask
        compute(PREPARE)
        training.step()

    return step


def print_loss(lossy):
    training = Training()

    def step(number):
        compute(PREPARE)
        loss = training.step()
        if lossy and number % LOG_EVERY == 0:
            print(f"loss {loss:.3f}")  # twin: print_loss

    return step


def backward_hook(lossy):
    """Read back on autograd's thread, for the gradient that comes last."""
    training, norms = Training(), []

    def keep(gradient):
        norm = gradient.norm()
        norms.append(norm.item() if lossy else norm)  # twin: backward_hook

    training.model[0].weight.register_hook(keep)

    def step(_):
        compute(PREPARE)
        training.step()

    return step


def pageable_batch(lossy):
    training, batch = Training(), torch.ones(4 * Training.size, Training.size)
    batch = batch if lossy else batch.pin_memory()

    def step(_):
        x = batch.to("cuda", non_blocking=not lossy)  # twin: pageable_batch
        compute(PREPARE)
        training.step(x[: Training.size // 4])

    return step


def pageable_large(lossy):
    """16 MiB of pageable memory a step; what is copied beside it is pinned, which tells how fast that is."""
    training = Training()
    batch, labels = torch.ones(1 << 22), torch.ones(1 << 18).pin_memory()
    batch = batch if lossy else batch.pin_memory()

    def step(_):
        labels.to("cuda", non_blocking=True)
        batch.to("cuda", non_blocking=not lossy)  # twin: pageable_large
        compute(PREPARE)
        training.step()

    return step


def launch_bound(lossy):
    """Kernels so short that their launches take longer, or the same kernels in a graph."""
    layers = nn.Sequential(*[nn.Sequential(nn.Linear(64, 64), nn.LayerNorm(64), nn.GELU()) for _ in range(20)]).cuda()
    x = torch.randn(64, 64, device="cuda")

    @torch.no_grad()
    def infer():
        with stage("infer"):
            for _ in range(3):
                layers(x)  # twin: launch_bound

    infer()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        infer()
    return lambda _: infer() if lossy else graph.replay()


def late_batch(lossy):
    """The range `load`, which is done ahead without it."""
    training = Training()

    def step(_):
        if lossy:
            with stage("load"):
                compute(2 * PREPARE)  # twin: late_batch
        training.step().item()

    return step


CASES = (item, items, loss_cpu, cuda_sync, mask, print_loss, backward_hook, pageable_batch, pageable_large, launch_bound, late_batch)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", nargs="?", choices=[case.__name__ for case in CASES])
    parser.add_argument("--without", action="store_true")
    parser.add_argument("--size", type=int, default=Training.size)
    parser.add_argument("--loops", type=int, default=1)
    options = parser.parse_args()
    if options.case is None:
        print(*(case.__name__ for case in CASES), sep="\n")
        return
    Training.size = options.size
    [case] = [case for case in CASES if case.__name__ == options.case]
    step = case(not options.without)
    for number in range(WARM_UP):
        with stage("warm-up"):
            step(number)
    for _ in range(options.loops):
        measure(step)


def measure(step):
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for number in range(STEPS):
        with stage("step"):
            step(number)
    torch.cuda.synchronize()
    print(f"steps: {STEPS} total_ms: {1e3 * (time.perf_counter() - begin):.3f}", flush=True)


if __name__ == "__main__":
    main()
