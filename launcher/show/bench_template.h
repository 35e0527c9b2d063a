// SPDX-License-Identifier: Apache-2.0
// The file that bench_script.cc fills in.
#pragma once

namespace syncline {

inline constexpr char kBenchTemplate[] =
    R"PYTHON("""Runs @NAME@ alone, on made-up inputs of the form that a recorded call had.
Written by `syncline bench-script`; it is yours to change.

    python @PATH@
    syncline --python-ranges '__main__.once' -- python @PATH@
    syncline --python-ranges '__main__.once' --step-range '__main__.once' --steps 3:4 -- python @PATH@

The last one records one call, and nothing else. What cannot be made up is named: give it in BY_HAND.
"""

import asyncio
import dataclasses
import enum
import functools
import importlib
import importlib.util
import inspect
import os
import statistics
import sys
import time

FUNCTION = @FUNCTION@
SCRIPT = @SCRIPT@  # the file that was run: functions of __main__ are in it
MODULE = @MODULE@  # or the module that `python -m` ran
ARGUMENTS = @ARGUMENTS@  # behind it: many programs look at sys.argv when they are imported
ARGUMENTS_CUT = @ARGUMENTS_CUT@  # there were more than is recorded of a command line
WARM_UP, REPEAT = 3, 20
GRADIENTS = @GRADIENTS@  # whether the call kept them, or ran under torch.no_grad() and the like; None: not known

# What holds weights or a connection, by the input's name: {"self": lambda: build_engine()}
BY_HAND = {}


class Missing(Exception):
    """An input that nobody but you can make."""


def missing(name, of_class):
    raise Missing(f"{name}: {of_class or 'an object'}")


def dtype(name):
    import torch

    return getattr(torch, name)


def device(name):
    import torch

    return torch.device("cpu" if name.startswith("cuda") and not torch.cuda.is_available() else name)


def tensor(shape, of_dtype, on, gradient=False):
    """Random numbers; integers and flags are 0, so that an index is one in any table."""
    import torch

    kind = dtype(of_dtype)
    if kind.is_floating_point and not of_dtype.startswith(("float8", "float4")):
        made = torch.randn(shape, device=device(on)).to(kind)
    elif kind.is_complex:
        made = torch.randn(shape, device=device(on), dtype=torch.complex64).to(kind)
    else:
        made = torch.zeros(shape).to(kind).to(device(on))
    return made.requires_grad_() if gradient else made


def of_class(name, module, of_name, value):
    """What a class holds that is made of a builtin one: others than these hold more than is recorded."""
    try:
        kind = getattr(load_main() if module == "__main__" else importlib.import_module(module), of_name)
    except (ImportError, AttributeError, ValueError):
        kind = None
    if isinstance(kind, type):
        if issubclass(kind, enum.Enum) or (module, of_name) in (("torch", "Size"), ("collections", "OrderedDict")):
            return kind(value)
        if issubclass(kind, tuple) and len(getattr(kind, "_fields", ())) == len(value):
            return kind(*value)
        if issubclass(kind, dict) and dataclasses.is_dataclass(kind):
            return kind(**value)
    missing(name, of_name)


def padded(items, count):
    """The first items are known; the others are as the last one."""
    return items + items[-1:] * (count - len(items))


INPUTS = {
@INPUTS@}
INPUTS_CUT = @INPUTS_CUT@  # there was no room for the others


@functools.lru_cache(None)
def load_main():
    if ARGUMENTS_CUT:
        sys.exit("fill in: ARGUMENTS, of which only the beginning was recorded; then ARGUMENTS_CUT = False")
    sys.argv[:] = [SCRIPT or MODULE, *ARGUMENTS]
    if MODULE:
        return importlib.import_module(MODULE)
    if not SCRIPT:
        sys.exit("fill in: SCRIPT, the file that was run")
    sys.path.insert(0, os.path.dirname(os.path.abspath(SCRIPT)))
    spec = importlib.util.spec_from_file_location("benched", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["benched"] = module
    spec.loader.exec_module(module)  # not as __main__: what is behind `if __name__ == "__main__"` does not run
    return module


def find_module(parts):
    """The module, and how many parts of the name are its own."""
    if parts[0] == "__main__":
        return load_main(), 1
    for count in range(len(parts) - 1, 0, -1):
        name = ".".join(parts[:count])
        try:
            return importlib.import_module(name), count
        except ModuleNotFoundError as error:
            if error.name is None or not name.startswith(error.name):
                raise
    sys.exit(f"there is no module for {FUNCTION}: add its folder to PYTHONPATH")


def find_function():
    parts = FUNCTION.split(".")
    if "<locals>" in parts:
        sys.exit(f"fill in: {FUNCTION} is made inside of another function; make it here")
    found, count = find_module(parts)
    for part in parts[count:]:
        owner, found = found, inspect.getattr_static(found, part)
    if isinstance(found, property):
        found = found.fget
    elif isinstance(found, classmethod):
        found = found.__get__(None, owner)
    elif isinstance(found, staticmethod):
        found = found.__func__
    return found


def how(lacking, function):
    """Lines for BY_HAND."""
    imports, lines = [], []
    for name, what in lacking.items():
        kind = what[len(name) + 2 :]
        if name != "self" or not kind.isidentifier():
            lines.append(f'    "{name}": lambda: ...,')
            continue
        module = sys.modules.get(function.__module__)
        owner = getattr(module, kind, None)  # not so, if it is a subclass of another module
        if owner is not None and module.__name__ == "benched":
            kind = f"load_main().{kind}"
        elif owner is not None:
            imports.append(f"from {module.__name__} import {kind}")
        made = f"{kind}.from_pretrained(...)" if hasattr(owner, "from_pretrained") else f"{kind}(...)"
        if hasattr(owner, "to"):
            made += '.to("cuda")'
        lines.append(f'    "self": lambda: {made},  # as your program makes it; load_main() is its script')
    return [*imports, "BY_HAND = {", *lines, "}"]


def make_inputs(function):
    """Arguments and keywords, as the function's parameters want them."""
    arguments, keywords, lacking, skipped = [], {}, {}, False
    for name, parameter in inspect.signature(function).parameters.items():
        is_rest = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        if name not in INPUTS and name not in BY_HAND:
            if INPUTS_CUT or (parameter.default is parameter.empty and not is_rest):
                lacking[name] = f"{name}: it was not recorded"
            skipped = True
            continue
        try:
            value = BY_HAND[name]() if name in BY_HAND else INPUTS[name]()
        except Missing as what:
            lacking[name] = str(what)
            continue
        if parameter.kind == parameter.VAR_POSITIONAL:
            arguments.extend(value)
        elif parameter.kind == parameter.VAR_KEYWORD:
            keywords.update(value)
        elif parameter.kind == parameter.KEYWORD_ONLY or (skipped and parameter.kind != parameter.POSITIONAL_ONLY):
            keywords[name] = value
        else:
            arguments.append(value)
    if lacking:
        sys.exit("\n".join(["fill in, in BY_HAND: " + ", ".join(lacking.values()), *how(lacking, function)]))
    return arguments, keywords


async def awaited(result):
    if inspect.isasyncgen(result):
        return [one async for one in result]
    return await result


def once(function, arguments, keywords, loop):
    """One call, to its end."""
    result = function(*arguments, **keywords)
    if inspect.isawaitable(result) or inspect.isasyncgen(result):
        return loop.run_until_complete(awaited(result))
    return list(result) if inspect.isgenerator(result) else result


def clock():
    """A function that takes another one's time in milliseconds: by events of the GPU, if there is one."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():

        def timed(work):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            work()
            end.record()
            end.synchronize()
            return begin.elapsed_time(end)

    else:

        def timed(work):
            begin = time.perf_counter()
            work()
            return 1000 * (time.perf_counter() - begin)

    return timed


def keep_gradients():
    torch = sys.modules.get("torch")
    if torch is not None and GRADIENTS is None:
        print("fill in: GRADIENTS; whether the call kept gradients was not recorded, and it does now", file=sys.stderr)
    elif torch is not None:
        torch.set_grad_enabled(GRADIENTS)


def main():
    function = find_function()
    arguments, keywords = make_inputs(function)
    loop = asyncio.new_event_loop()
    keep_gradients()

    def work():
        once(function, arguments, keywords, loop)

    for _ in range(WARM_UP):
        work()
    timed = clock()
    times = [timed(work) for _ in range(REPEAT)]
    loop.close()
    print(f"{FUNCTION}: {REPEAT} calls, median {statistics.median(times):.3f} ms, mean {statistics.fmean(times):.3f} ms,"
          f" {min(times):.3f} to {max(times):.3f} ms")
    if "torch" in sys.modules:  # which aborts where a thread of backward's is still on its way to sleep at the end
        time.sleep(0.1)


if __name__ == "__main__":
    main()
)PYTHON";

}  // namespace syncline
