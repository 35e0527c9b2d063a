# SPDX-License-Identifier: Apache-2.0
"""Calls modules of torch_like in a made-up model, and by objects that are none: what a reader of Python's objects must bear.

modules.py PART...     It prints one line a part."""

import os
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "torch_like"))
from torch.nn.modules.module import Module  # noqa: E402


class Leaf(Module):
    def forward(self, x):
        return x + 1


class Raising(Module):
    def forward(self, x):
        raise ValueError(x)


class Chain(Module):
    def __init__(self, *modules):
        super().__init__()
        for number, module in enumerate(modules):
            self._modules[str(number)] = module

    def forward(self, x):
        for module in self._modules.values():
            x = module(x)
        return x


class Net(Module):
    def __init__(self):
        super().__init__()
        self.leaf = Leaf()
        self.chain = Chain(Leaf(), Chain(Leaf()))
        self.raising = Raising()

    def forward(self, x):
        try:
            self.raising(x)
        except ValueError:
            pass
        x = self.chain(self.leaf(x))
        return Leaf()(self.chain._modules["1"]._modules["0"](x))


class Hostile(Module):
    """Whoever runs code of this object says so."""

    def __getattribute__(self, name):
        if name in ("_modules", "__dict__", "__class__") and sys._getframe(1).f_code.co_name not in ("__init__", "__setattr__", "__getattr__", "forward"):
            print(f"asked for {name}")
        return super().__getattribute__(name)

    def __eq__(self, _other):
        print("compared")
        return False

    def __hash__(self):
        print("hashed")
        return 0

    def forward(self, x):
        return Leaf()(x)


class Slotted:
    __slots__ = ("value",)
    forward = None

    def _call_impl(self, x):
        return x


def plain():
    return Net()(1)


def threads():
    net, results = Net(), []
    others = [threading.Thread(target=lambda: results.append(net(1))) for _ in range(3)]
    for thread in others:
        thread.start()
    for thread in others:
        thread.join()
    return sum(results)


def no_modules():
    try:
        Module._wrapped_call_impl(3)
    except AttributeError:
        return Module._wrapped_call_impl(Slotted(), 4)


def odd_children():
    net = Chain(Leaf())
    net._modules[7] = None
    net._modules["m\u00f6dul"] = Leaf()
    net._modules["\ud800"] = Leaf()
    del net._modules[7]
    other = Chain()
    other.__dict__["_modules"] = [Leaf()]
    other.forward = lambda x: x
    return net(1) + other(2)


def hostile():
    return Chain(Hostile(), Hostile())(1)


def circle():
    first, second = Chain(), Chain()
    first._modules["second"], second._modules["first"] = second, first
    calls = []
    second.forward = lambda x: calls.append(x) or (Leaf()(x) if len(calls) > 2 else first(x))
    return first(1)


def recursion():
    class Deep(Module):
        def forward(self, x):
            return x if x == 0 else self(x - 1)

    return Deep()(60)


def fork():
    def child():
        Net()(1)
        os._exit(0)

    net = Chain(Leaf())
    net.forward = lambda x: (os.fork() or child()) and net._modules["0"](x)
    result = net(1)
    os.wait()
    return result


def main():
    for part in sys.argv[1:]:
        print(part, globals()[part]())


if __name__ == "__main__":
    main()
