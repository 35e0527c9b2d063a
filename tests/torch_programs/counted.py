# SPDX-License-Identifier: Apache-2.0
"""Runs a program and counts its stages by itself, by Python's own profile hook: counted.py OUT PATTERNS PROGRAM ARGUMENT...

PATTERNS: of functions, with commas. OUT: of each that was called, in JSON: how often, the peak of what PyTorch's
allocator had given out meanwhile, and the shapes of the tensors of its first call. Nothing of a call is kept, so
that memory is free when it would be without this."""

import fnmatch
import json
import runpy
import sys
import threading

import torch


def peak_until_now():
    """Since it was asked last."""
    peak = torch.cuda.max_memory_allocated() if torch.cuda.is_initialized() else 0
    if torch.cuda.is_initialized():
        torch.cuda.reset_peak_memory_stats()
    return peak


def shapes(frame):
    names = frame.f_code.co_varnames[: frame.f_code.co_argcount + frame.f_code.co_kwonlyargcount]
    return {name: list(frame.f_locals[name].shape) for name in names if isinstance(frame.f_locals.get(name), torch.Tensor)}


class Counts:
    def __init__(self, patterns):
        self.patterns, self.names, self.stages, self.open = patterns, {}, {}, []

    def name_of(self, frame):
        code = frame.f_code
        if code not in self.names:
            name = f"{frame.f_globals.get('__name__', '')}.{code.co_qualname}"
            self.names[code] = name if any(fnmatch.fnmatchcase(name, pattern) for pattern in self.patterns) else None
        return self.names[code]

    def __call__(self, frame, event, _):
        if event not in ("call", "return") or self.name_of(frame) is None:
            return
        peak = peak_until_now()
        for stage in self.open:
            stage["peak"] = max(stage["peak"], peak)
        if event == "return":
            self.open.pop()
            return
        stage = self.stages.setdefault(self.name_of(frame), {"calls": 0, "peak": 0, "shapes": shapes(frame)})
        stage["calls"] += 1
        self.open.append(stage)


if __name__ == "__main__":
    out, patterns, sys.argv = sys.argv[1], sys.argv[2].split(","), sys.argv[3:]
    counts = Counts(patterns)
    threading.setprofile(counts)
    sys.setprofile(counts)
    runpy.run_path(sys.argv[0], run_name="__main__")
    sys.setprofile(None)
    with open(out, "w") as file:
        json.dump(counts.stages, file)
