# SPDX-License-Identifier: Apache-2.0
"""Loops in which the GPU has nothing to do because of one line, which a comment names: `idle: CASE`, and `below: CASE` for the line in the
function that it calls.

idle.py CASE"""

import json
import os
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset

STEPS, PAUSE = 25, 0.012


def forward(model, x):
    return torch.nn.functional.mse_loss(model(x), x)


class Slow(Dataset):
    def __len__(self):
        return STEPS * 8

    def __getitem__(self, i):
        time.sleep(PAUSE / 8)
        return torch.full((256,), float(i))


def batches():
    for _ in range(STEPS):
        time.sleep(PAUSE)  # below: generator
        yield torch.ones(64, 256).pin_memory()


def generator(model):
    for x in batches():  # idle: generator
        x = x.cuda(non_blocking=True)
        loss = forward(model, x)
        loss.backward()


def loader(model):
    for x in DataLoader(Slow(), batch_size=8, pin_memory=True):  # idle: loader
        x = x.cuda(non_blocking=True)
        loss = forward(model, x)
        loss.backward()


def workers(model):
    for x in DataLoader(Slow(), batch_size=8, num_workers=1):  # idle: workers
        x = x.cuda()
        forward(model, x).backward()


def handed(model):
    for x in DataLoader(Slow(), batch_size=8, pin_memory=True):  # idle: handed
        forward(model, x.cuda(non_blocking=True)).backward()


def tail(model):
    held = [torch.ones(64, 256).pin_memory() for _ in range(STEPS)]
    for step, x in enumerate(held):
        x = x.cuda(non_blocking=True)
        forward(model, x).backward()
        write({"step": step, "rows": list(range(30000))})  # idle: tail


def sleep(model):
    x = torch.ones(64, 256).cuda()
    for _ in range(STEPS):
        loss = forward(model, x)
        loss.backward()
        time.sleep(PAUSE)  # idle: sleep


def log(model):
    x = torch.ones(64, 256).cuda()
    for step in range(STEPS):
        loss = forward(model, x)
        write({"step": step, "rows": list(range(30000))})  # idle: log
        loss.backward()


def write(row):
    with open(os.devnull, "w") as file:
        json.dump(row, file)


def save(model):
    x = torch.ones(64, 256).cuda()
    for _ in range(STEPS):
        forward(model, x).backward()
        checkpoint(model)  # idle: save


def checkpoint(model):
    time.sleep(PAUSE)  # below: save
    return [parameter.detach().cpu() for parameter in model.parameters()]


def main():
    model = torch.nn.Linear(256, 256).cuda()
    forward(model, torch.ones(64, 256).cuda()).backward()  # loads the code
    torch.cuda.synchronize()
    {case.__name__: case for case in (generator, loader, workers, handed, tail, sleep, log, save)}[sys.argv[1]](model)
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
