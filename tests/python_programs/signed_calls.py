# SPDX-License-Identifier: Apache-2.0
"""Functions do_* that note what goes in and out of them, once for each form, as report/io_signature.json has it: one JSON object in the file
TRUTH, lists by function. With `killed` the program ends by SIGKILL, with `torch` there are tensors.

signed_calls.py TRUTH [killed] [torch] [cuda]"""

import asyncio
import collections
import enum
import functools
import inspect
import json
import os
import signal
import sys

truth = {}
Pair = collections.namedtuple("Pair", "first second")


class Level(enum.IntEnum):
    HIGH = 2


class Name(str):
    pass


TORCH = "torch" in sys.argv
if TORCH:
    import torch


def told(value):
    """As JSON; written from the page, not from the program that it judges."""
    if value is None or type(value) in (bool, int, float):
        return value
    if type(value) is str:
        return value if len(value) <= 256 else {"text": value[:256], "cut": True}
    if TORCH and isinstance(value, torch.Tensor):
        needs = {"requires_grad": True} if value.requires_grad else {}
        return {"tensor": {"shape": list(value.shape), "dtype": str(value.dtype).removeprefix("torch."), "device": str(value.device), **needs}}
    if isinstance(value, (int, str, list, tuple, dict)) and type(value) not in (bool, int, str, list, tuple, dict):
        builtin = next(one for one in (int, str, list, tuple, dict) if isinstance(value, one))
        return {"class": type(value).__name__, "module": type(value).__module__, "value": told(builtin(value))}
    if TORCH and isinstance(value, torch.dtype):
        return {"dtype": str(value).removeprefix("torch.")}
    if TORCH and isinstance(value, torch.device):
        return {"device": str(value)}
    if type(value) in (list, tuple):
        told_items = {type(value).__name__: [told(one) for one in value[:16]]}
        return {**told_items, "of": len(value)} if len(value) > 16 else told_items
    if type(value) is dict:
        return {"dict": [[told(key), told(one)] for key, one in value.items()]}
    return {"object": type(value).__name__}


def form(value):
    """What tells signatures apart."""
    if isinstance(value, dict):
        kind = next(iter(value))
        if kind == "class":
            return [kind, value["class"], value["module"], form(value["value"])]
        if kind == "text":
            return "text"
        if kind == "dict":
            return [kind, [[key, form(one)] for key, one in value["dict"]]]
        if kind in ("list", "tuple"):
            return [kind, value.get("of"), [form(one) for one in value[kind]]]
        return value
    return value if value is None or isinstance(value, bool) else "text" if isinstance(value, str) else type(value).__name__


def begin(function, arguments, keywords):
    bound = inspect.signature(function).bind(*arguments, **keywords)
    bound.apply_defaults()
    names = {p.name: p.kind for p in inspect.signature(function).parameters.values()}
    later = [n for n, kind in names.items() if kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)]
    ordered = [n for n in names if n not in later] + later  # as code objects have them
    inputs = [{"name": name, "value": told(bound.arguments[name])} for name in ordered]
    calls = truth.setdefault(function.__qualname__, [])
    keeps = {"gradients": torch.is_grad_enabled()} if TORCH else {}
    its_form = json.dumps([keeps, [[one["name"], form(one["value"])] for one in inputs]])
    if any(call["form"] == its_form for call in calls):
        return {}
    calls.append({"form": its_form, "inputs": inputs, **keeps})
    return calls[-1]


def noted(function):
    """Calls of the function, noted by a wrapper that is not chosen."""
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def around_coroutine(*arguments, **keywords):
            call = begin(function, arguments, keywords)
            result = await function(*arguments, **keywords)
            call["result"] = told(result)
            return result

        return around_coroutine

    @functools.wraps(function)
    def around(*arguments, **keywords):
        call = begin(function, arguments, keywords)
        try:
            result = function(*arguments, **keywords)
        except Exception:
            call["raised"] = True
            raise
        if not inspect.isgeneratorfunction(function):
            call["result"] = told(result)
        return result

    return around


@noted
def do_scale(value, factor=2, *more, flag=False, **named):
    return (value, {"n": factor}, None)


@noted
def do_lack(value, other):
    return other


@noted
def do_fail(text):
    raise ValueError(text)


@noted
def do_smile(text):
    assert text == "\U0001f600", ascii(text)


@noted
def do_generate(count):
    for value in range(count):
        yield value


@noted
async def do_wait(number, name):
    await asyncio.sleep(0.001)
    return [number, name]


@noted
def do_closure(first, second):
    return sorted([2, 1], key=lambda value: (value, first))


class Engine:
    @noted
    def do_step(self, batch, *, temperature=0.5):
        return self

    @classmethod
    def make(cls):
        return cls()


def plain():
    for _ in range(3):
        for number in range(3):
            do_scale(number)
            do_scale(number, 3.5, 1, "x", flag=True, other=[1, (2, None)])
        do_scale("a" * 100, flag=True)
        do_lack("a" * 300, Pair(1, Level.HIGH))
        do_lack(Name("n"), [collections.OrderedDict(k=Pair(1, 2.5)), 3])
        do_scale({"deep": [[1.5]], 7: {"a": "b"}}, 1 << 40)
        do_scale(list(range(20)), {})
        do_closure({"k": 1}, "t")
        Engine.make().do_step([1, 2], temperature=0.1)
        list(do_generate(2))
        do_smile("\U0001f600")
        try:
            do_fail("text")
        except ValueError:
            pass


@noted
async def do_hang(name):
    await asyncio.sleep(100)


@noted
def do_kill(text):
    write()
    os.kill(os.getpid(), signal.SIGKILL)


async def killed():
    """While both are open."""
    hanging = asyncio.ensure_future(do_hang("hangs"))
    await asyncio.sleep(0.01)
    do_kill("now")
    await hanging


async def waits():
    await asyncio.gather(*(do_wait(number, f"name {number}") for number in range(8)))


@noted
def do_tensors(tensors, *, mask=None, **named):
    return {"out": tensors[0], "pair": (mask, 3)}


class OwnTensor(torch.Tensor if TORCH else object):
    """A program's own kind of tensor, whose code must not run."""

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return super().__torch_function__(function, types, args, kwargs or {})


class Denoiser(torch.nn.Module if TORCH else object):
    def __init__(self, width):
        super().__init__()
        self.layer = torch.nn.Linear(width, width)

    @noted
    def do_forward(self, sample, step, condition=None):
        return self.layer(sample) * step


def tensors():
    device = "cuda" if "cuda" in sys.argv else "cpu"
    made = [torch.ones(2, 3, device=device), torch.zeros(1, 2, 3, 4, 5, 6, 7, dtype=torch.int64), torch.tensor(2.5), torch.empty(0, 4, dtype=torch.bfloat16)]
    for _ in range(2):
        do_tensors(made)
        do_tensors(made[:1], mask=made[0] > 0, other=torch.nn.Parameter(torch.ones(3)))
        do_tensors(tuple(made), mask=made[1].transpose(0, 3), deep={"a": [made[2]]})
        do_tensors([torch.ones(2, 2, device="meta"), torch.ones(4, dtype=torch.complex64), torch.ones(4, dtype=torch.bool)])
        do_tensors([torch.Tensor._make_subclass(OwnTensor, torch.ones(5))])
    with torch.no_grad():
        do_tensors([torch.float16, torch.device("cuda", 1)], mask=torch.nn.Parameter(made[0]), shape=made[0].shape)
    with torch.inference_mode():
        do_tensors([torch.float16, torch.device("cpu")])
    model = Denoiser(4)
    for size in (1, 2, 2, 8):
        for step in range(3):
            model.do_forward(torch.ones(size, 4), step, condition={"text": torch.ones(size, 7)})


def write():
    with open(sys.argv[1], "w") as file:
        json.dump({name: [{k: v for k, v in call.items() if k != "form"} for call in calls] for name, calls in truth.items()}, file)


if __name__ == "__main__":
    plain()
    asyncio.run(waits())
    if TORCH:
        tensors()
    if "killed" in sys.argv:
        asyncio.run(killed())
    write()
    print("functions:", len(truth))
