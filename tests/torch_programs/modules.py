# SPDX-License-Identifier: Apache-2.0
"""A small model whose modules are called in all the ways that make their paths hard to tell: through lists and dicts that nobody calls, past
a module between, two paths to one module, an exception, modules that come and go at one address, threads, replicas of DataParallel.

modules.py [STEPS] [DEVICE] [TRUTH]     TRUTH: a file, into which hooks write what was called within what"""

import collections
import gc
import json
import sys
import threading

import torch
from torch import nn
from torch.nn.modules import module as hooks

WIDTH = 8
CHANGES = 12


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        return self.out(torch.softmax(q @ k.transpose(-1, -2), -1) @ v)


class Block(nn.Module):
    def __init__(self, norm):
        super().__init__()
        self.attn = Attention()
        self.norm = norm
        self.mlp = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH))

    def forward(self, x):
        return x + self.mlp(self.norm(x + self.attn(x)))


class Failing(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Identity()

    def forward(self, x):
        raise ValueError(self.inner(x).shape)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        norm = nn.LayerNorm(WIDTH)
        self.layers = nn.ModuleList(Block(norm) for _ in range(2))
        self.heads = nn.ModuleDict({"first": nn.Linear(WIDTH, 2), "second": nn.Linear(WIDTH, 2)})
        self.failing = Failing()

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        try:
            self.failing(x)
        except ValueError:
            pass
        x = self.layers[1].mlp[0](x)  # past its block
        return self.heads["first"](x) + self.heads["second"](x)


class Changing(nn.Module):
    """Its modules come and go, at one address where Python gives it again."""

    def forward(self, x):
        where = []
        for number in range(CHANGES):
            name = "odd" if number % 2 else "even"
            setattr(self, name, nn.Softmax(-1) if number % 3 else nn.ReLU())
            where.append(id(getattr(self, name)))
            x = getattr(self, name)(x)
            delattr(self, name)
            gc.collect()
        return nn.Tanh()(x), len(set(where))


class Note:
    """What is called within what, as hooks of the program see it; a path is worked out by the names that PyTorch gives."""

    def __init__(self):
        self.stacks, self.notes = collections.defaultdict(list), collections.defaultdict(list)
        hooks.register_module_forward_pre_hook(self.begins)
        hooks.register_module_forward_hook(self.ends, always_call=True)

    def path_of(self, module, stack):
        for around, path in ([stack[-1], stack[0]] if stack else []):
            names = [name for name, below in around.named_modules(remove_duplicate=False) if below is module]
            if names:
                return f"{path}.{min(names, key=lambda name: name.count('.'))}"
        return type(module).__name__

    def begins(self, module, _arguments):
        thread = threading.get_native_id()
        path = self.path_of(module, self.stacks[thread])
        self.notes[thread].append([len(self.stacks[thread]), path, type(module).__name__])
        self.stacks[thread].append((module, path))

    def ends(self, _module, _arguments, _result):
        self.stacks[threading.get_native_id()].pop()


def train(net, steps, device):
    optimizer, loss = torch.optim.SGD(net.parameters(), lr=0.1), nn.MSELoss()
    for _ in range(steps):
        loss(net(torch.ones(4, 3, WIDTH, device=device)), torch.zeros(4, 3, 2, device=device)).backward()
        optimizer.step()
        optimizer.zero_grad()


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    device = sys.argv[2] if len(sys.argv) > 2 else "cuda"
    note = Note() if len(sys.argv) > 3 else None
    torch.manual_seed(0)
    net = Net().to(device)
    train(net, steps, device)
    thread = threading.Thread(target=train, args=(Net().to(device), steps, device))
    thread.start()
    thread.join()
    for _ in range(steps):
        _, addresses = Changing()(torch.ones(2, 2, device=device))
    print(f"{addresses} addresses of {CHANGES} modules")
    if device == "cuda" and torch.cuda.device_count() > 1:
        nn.DataParallel(net)(torch.ones(4, 3, WIDTH, device=device)).sum().item()
    if note is not None:
        with open(sys.argv[3], "w") as file:
            json.dump(note.notes, file)


if __name__ == "__main__":
    main()
