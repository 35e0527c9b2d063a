# SPDX-License-Identifier: Apache-2.0
"""Calls that wait for nothing, from Python frames that lie as deep as asked: the nanoseconds of a call as one JSON object. `warm` comes from
one line over and over, `first` from a new line each time, in code that was seen before.

stack_calls.py DEPTH"""

import ctypes
import json
import sys
import time

ROUNDS, CALLS, LINES = 40, 2000, 400
call = ctypes.CDLL("libcudart.so.13").cudaDeviceSynchronize


def deep(depth, function):
    """Through functions of which no two are the same, as in a program."""
    names = {"f1": lambda inner: inner()}
    for level in range(2, depth + 1):
        exec(compile(f"def f{level}(inner):\n    return f{level - 1}(inner)\n", __file__, "exec"), names)
    return names[f"f{max(depth, 1)}"](function)


def warm():
    best = 1e9
    for _ in range(ROUNDS):
        begin = time.perf_counter_ns()
        for _ in range(CALLS):
            call()
        best = min(best, (time.perf_counter_ns() - begin) / CALLS)
    return best


def first():
    """Of each round's own function the first call has seen no line; that one is not counted."""
    best = 1e9
    for number in range(ROUNDS):
        names = {"call": call, "now": time.perf_counter_ns}
        lines = "\n".join(["    call()"] * LINES)
        exec(compile(f"def f():\n    call()\n    begin = now()\n{lines}\n    return now() - begin\n", f"made {number}", "exec"), names)
        best = min(best, names["f"]() / LINES)
    return best


def main():
    depth = int(sys.argv[1])
    call()
    print(json.dumps({"warm": deep(depth, warm), "first": deep(depth, first)}))


if __name__ == "__main__":
    main()
