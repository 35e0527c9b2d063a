# SPDX-License-Identifier: Apache-2.0
"""One training step that is run, or captured into a graph once and replayed, so often: `captured.py eager|graph TIMES`. Each time is a
range `step I`."""

import sys

import torch
from torch.profiler import record_function

WARM_UP = 2


def main(how, times):
    model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    data, classes = torch.zeros(32, 64, device="cuda"), torch.zeros(32, dtype=torch.long, device="cuda")

    def train():
        optimizer.zero_grad(set_to_none=True)
        with record_function("forward"):
            result = model(data)
            loss = torch.nn.functional.cross_entropy(result, classes)
        loss.backward()
        optimizer.step()

    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(WARM_UP):
            train()
    torch.cuda.synchronize()
    step = train
    if how == "graph":
        graph = torch.cuda.CUDAGraph()
        with record_function("capture"), torch.cuda.graph(graph):
            train()
        step = graph.replay
    for i in range(times):
        with record_function(f"step {i}"):
            step()
    torch.cuda.synchronize()


main(sys.argv[1], int(sys.argv[2]))
