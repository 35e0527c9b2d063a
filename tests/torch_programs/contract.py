# SPDX-License-Identifier: Apache-2.0
"""A training whose steps wait for nothing, and the same with one line that somebody added. That of a case ends with `# regression: CASE`.

contract.py [CASE] [STEPS]     CASE: good (the default), or one of those below"""

import sys

import torch
import uncompiled
from torch import nn

uncompiled.leave_dynamo_out()

CASE = sys.argv[1] if len(sys.argv) > 1 else "good"
STEPS = int(sys.argv[2]) if len(sys.argv) > 2 else 12


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 8))

    def forward(self, x):
        return self.layers(x)


def inputs(batch, pinned):
    if CASE == "pageable":
        return batch.to("cuda")  # regression: pageable
    return pinned.to("cuda", non_blocking=True)


def watch(loss, output):
    """What people add to see how it goes."""
    if CASE == "item":
        return loss.item()  # regression: item
    if CASE == "cpu":
        return output.detach().cpu()  # regression: cpu
    if CASE == "print":
        print(loss, file=sys.stderr)  # regression: print
    if CASE == "if":
        if loss > 1e9:  # regression: if
            return None
    if CASE == "synchronize":
        torch.cuda.synchronize()  # regression: synchronize
    if CASE == "nonzero":
        return output[output > 0]  # regression: nonzero
    if CASE == "tolist":
        return output[0].tolist()  # regression: tolist
    if CASE == "empty_cache":
        torch.cuda.empty_cache()  # regression: empty_cache
    if CASE == "event":
        event = torch.cuda.Event()
        event.record()
        event.synchronize()  # regression: event
    if CASE == "to_host":
        return output.detach().to("cpu", non_blocking=True)  # regression: to_host
    if CASE == "kernel":
        return output.detach().square()  # regression: kernel
    return None


def step(model, optimizer, batch, pinned, goal, total):
    output = model(inputs(batch, pinned))
    loss = nn.functional.cross_entropy(output, goal)
    loss.backward()
    optimizer.step()  # regression: loop
    optimizer.zero_grad()
    total.add_(loss.detach())
    watch(loss, output)


def main():
    torch.manual_seed(0)
    model = Model().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, foreach=CASE != "loop")
    batch = torch.randn(32, 64)
    pinned, goal, total = batch.pin_memory(), torch.zeros(32, dtype=torch.long, device="cuda"), torch.zeros((), device="cuda")
    for _ in range(STEPS):
        step(model, optimizer, batch, pinned, goal, total)
    print("mean loss", total.item() / STEPS)


if __name__ == "__main__":
    main()
