# SPDX-License-Identifier: Apache-2.0
"""A training whose data are slowly put together, and which writes many small texts behind each step: sampled_training.py TRUTH. Writes how long both
took in the steps behind the third."""

import json
import sys
import time

import torch
from torch.autograd.profiler import record_function
from torch.utils.data import DataLoader, Dataset

STEPS = 100
told = {}


class Data(Dataset):
    def __len__(self):
        return 8 * STEPS

    def __getitem__(self, index):
        return torch.ones(16, 16) * index


def spend(name, seconds, step, work):
    begin = time.perf_counter()
    while time.perf_counter() < begin + seconds:
        work()
    if step >= 3:
        told[name] = told.get(name, 0) + time.perf_counter() - begin


class Batches:
    """Counts what it is called for."""

    step = 0

    def __call__(self, rows):
        spend("collate", 0.009, self.step, lambda: sum(range(1000)))
        self.step += 1
        return torch.stack(rows)


def log_metrics(step):
    spend("log", 0.006, step, lambda: json.dumps({"step": step, "loss": [1.5] * 9}, indent=1))


def main():
    model = torch.nn.Linear(16, 16).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step, batch in enumerate(DataLoader(Data(), batch_size=8, collate_fn=Batches())):
        with record_function(f"step {step}"):
            loss = model(batch.cuda()).sum()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            loss.item()
            log_metrics(step)
    with open(sys.argv[1], "w") as out:
        json.dump(told, out)


main()
