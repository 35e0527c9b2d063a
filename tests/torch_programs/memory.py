# SPDX-License-Identifier: Apache-2.0
"""Programs that count the memory of PyTorch's allocator themselves: at each step what torch.cuda.memory_stats says, as a line of JSON.

memory.py plain|amp|checkpoint|stream|inference [STEPS]    five loops
memory.py leak|pieces|out_of_memory [STEPS]     one with a fault, whose line is marked SEEDED
memory.py killed [STEPS]                        plain, which kills itself in the end
memory.py profiled STEPS TRACE                  plain, under torch.profiler with profile_memory=True"""

import json
import os
import signal
import sys
import time

import torch
import uncompiled
from torch import nn
from torch.profiler import ProfilerActivity, profile, record_function
from torch.utils.checkpoint import checkpoint

MIB = 1 << 20


class Net(nn.Module):
    def __init__(self, again):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(512, 512) for _ in range(4))
        self.again = again

    def forward(self, x):
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=False) if self.again else torch.relu(layer(x))
        return x


def tell(step, before):
    """`before`: what is there since the step's begin."""
    stats = torch.cuda.memory_stats()
    print(json.dumps({"step": step, **{f"{what}_{when}": stats[f"{what}_bytes.all.{when}"] for what in ("allocated", "reserved") for when in ("current", "peak")}, "before": before}))


class Loop:
    def __init__(self, what):
        self.what, self.kept, self.pieces = what, [], []
        self.model = Net(what == "checkpoint").cuda()
        self.optimizer = torch.optim.AdamW(self.model.parameters())
        self.side = torch.cuda.Stream()

    def fault(self, step):
        if self.what == "leak":
            self.kept.append(torch.empty(3 * MIB, dtype=torch.uint8, device="cuda"))  # SEEDED leak
        if self.what == "pieces" and step == 3:
            blocks = [torch.empty(40 * MIB, dtype=torch.uint8, device="cuda") for _ in range(8)]
            self.pieces = blocks[::2]
            del blocks
            self.kept = [torch.empty(120 * MIB, dtype=torch.uint8, device="cuda")]  # SEEDED pieces
        if self.what == "out_of_memory" and step == 2:
            self.kept = [torch.empty(1 << 46, dtype=torch.uint8, device="cuda")]  # SEEDED out_of_memory

    def step(self, step):
        x = torch.randn(64, 512, device="cuda")
        self.fault(step)
        if self.what == "inference":
            with torch.no_grad():
                self.model(x)
            return
        with torch.autocast("cuda", enabled=self.what == "amp"):
            loss = self.model(x).float().square().mean()
        loss.backward()
        if self.what == "stream":
            with torch.cuda.stream(self.side):
                y = torch.ones(MIB, device="cuda") * 2
            y.record_stream(torch.cuda.current_stream())
            del y
        self.optimizer.step()
        self.optimizer.zero_grad()


def main():
    what, steps = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10
    if what not in ("checkpoint", "profiled"):  # these ask more of it
        uncompiled.leave_dynamo_out()
    if what == "profiled":
        with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
            run("plain", steps)
        profiler.export_chrome_trace(sys.argv[3])
    else:
        run(what, steps)


def run(what, steps):
    loop = Loop(what)
    for step in range(steps):
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        with record_function(f"step {step}"):
            loop.step(step)
        tell(step, before)
    if what == "killed":
        sys.stdout.flush()
        time.sleep(1)  # what is told of the driver comes a little later
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
