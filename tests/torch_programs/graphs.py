# SPDX-License-Identifier: Apache-2.0
"""Compiles modules in several ways with a backend that runs what it is given, and prints the graphs that it was given."""

import torch
from torch import nn

GRAPHS = []


def backend(graph, _inputs):
    GRAPHS.append(graph.print_readable(print_output=False))
    return graph.forward


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.relu = nn.ReLU()

    def forward(self, x):
        return self.relu(self.linear(x)) + 1


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(2))
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        torch._dynamo.graph_break()
        return self.head(x)


def main():
    net, block = Net(), Block()
    compiled = torch.compile(net, backend=backend)
    block.compile(backend=backend)
    function = torch.compile(lambda x: net.blocks[0](x) * 2, backend=backend)
    for _ in range(3):
        compiled(torch.ones(2, 4)), block(torch.ones(2, 4)), function(torch.ones(2, 4))
    function(torch.ones(3, 4))
    net(torch.ones(2, 4))
    print(len(GRAPHS), *GRAPHS, sep="\n")
    print(torch._dynamo.utils.counters["stats"])


if __name__ == "__main__":
    main()
