# SPDX-License-Identifier: Apache-2.0
"""A training loop: DataLoader with workers, AdamW, automatic mixed precision, gradient accumulation.

training.py [STEPS] [--item] [--nvtx]     --item: reads the loss in every step; --nvtx: emit_nvtx around the loop"""

import contextlib
import sys

import torch
import uncompiled
from stages import stage
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

uncompiled.leave_dynamo_out()

ACCUMULATE = 2


def main():
    options = sys.argv[1:]
    steps = next((int(word) for word in options if word.isdigit()), 8)
    data = TensorDataset(torch.randn(64 * steps, 256), torch.randint(0, 10, (64 * steps,)))
    loader = DataLoader(data, batch_size=64, num_workers=2, pin_memory=True)
    model = nn.Sequential(nn.Linear(256, 512), nn.GELU(), nn.LayerNorm(512), nn.Dropout(0.1), nn.Linear(512, 10)).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    scaler = torch.amp.GradScaler()
    emit = torch.autograd.profiler.emit_nvtx() if "--nvtx" in options else contextlib.nullcontext()
    loss = None
    with emit:
        for number, (x, y) in enumerate(loader):
            with stage(f"step {number}"):
                with stage("input"):
                    x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
                with stage("forward"), torch.autocast("cuda", dtype=torch.float16):
                    loss = nn.functional.cross_entropy(model(x), y) / ACCUMULATE
                with stage("backward"):
                    scaler.scale(loss).backward()
                if number % ACCUMULATE == ACCUMULATE - 1:
                    with stage("optimizer"):
                        scaler.step(optimizer)
                        scaler.update()
                        optimizer.zero_grad()
                if "--item" in options:
                    with stage("log"):
                        loss.item()
    print(f"{steps} steps, loss of type {loss.dtype}")


if __name__ == "__main__":
    main()
