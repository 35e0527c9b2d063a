# SPDX-License-Identifier: Apache-2.0
"""Functions do_* that print what they got, one line of JSON each: texts, classes made of builtin ones, dtypes, devices, gradients, and the
program's own arguments. odd_inputs.py [ARGUMENT]..."""

import collections
import enum
import json
import sys

import torch

Out = collections.namedtuple("Out", "sample scale")


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Tokens(list):
    """Has more than its items."""


class Named(str):
    pass


def told(value):
    if isinstance(value, torch.Tensor):
        return [list(value.shape), str(value.dtype), value.requires_grad]
    items = [told(one) for one in value] if isinstance(value, (list, tuple)) else repr(value)
    return [type(value).__name__, items]


def tell(name, *values):
    print("GOT", json.dumps([name, sys.argv[1:], torch.is_grad_enabled(), [told(one) for one in values]]))


def do_text(prompt, other=""):
    tell("do_text", prompt, other)


def do_long_text(prompt):
    tell("do_long_text", prompt)


def do_huge_text(prompt):
    tell("do_huge_text", prompt)


def do_no_text(prompt):
    tell("do_no_text", prompt)


def do_pair(out):
    tell("do_pair", out)
    return out.sample * out.scale


def do_level(level, size):
    tell("do_level", level, size)
    return level.name, size.numel()


def do_tokens(tokens):
    tell("do_tokens", tokens)


def do_name(name):
    tell("do_name", name)


def do_train(weight, data):
    tell("do_train", weight, data)
    (weight * data).sum().backward()


@torch.no_grad()
def do_infer(weight, data):
    tell("do_infer", weight, data)
    return weight @ data


def do_types(dtype, device, *, out_dtype=None):
    tell("do_types", dtype, device, out_dtype)
    return torch.ones(2, dtype=dtype, device=device)


def do_table(entries):
    tell("do_table", entries)


def do_many(a, b, c, d, e, f, last="not this"):
    tell("do_many", a, b, c, d, e, f, last)


def do_full(first, second=1):
    tell("do_full", first, second)
    return first


def main():
    weight = torch.ones(8, 8, device="cuda", requires_grad=True)
    data = torch.ones(8, 8, device="cuda")
    do_text("x" * 200 + "\u00e9\U0001f600'\"\\\n\t\x7f", "")
    do_long_text("long " * 100)
    do_huge_text("y" * 5000)
    do_no_text("half \udcff")
    do_pair(Out(data, 2.0))
    do_level(Level.HIGH, data.shape)
    do_tokens(Tokens([1, 2]))
    do_name(Named("n"))
    do_train(weight, data)
    do_infer(weight, data)
    with torch.inference_mode():
        do_train.__globals__["do_text"]("under inference", "short")
    do_types(torch.bfloat16, torch.device("cuda", 0), out_dtype=torch.int8)
    do_types(torch.float8_e4m3fn, torch.device("cpu"))
    do_table({str(number): number for number in range(20)})
    do_many(*(["z" * 200] * 16 for _ in range(6)), last="this")
    do_full([["z" * 250] * 16] * 8, second=2)
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
