# SPDX-License-Identifier: Apache-2.0
"""Calls of a function that --python-ranges may choose and of one that it does not: the nanoseconds of a call of each, of a call that an
exception ends, and of the first call of a function, as one JSON object.

python_calls.py"""

import json
import time

ROUNDS, CALLS = 60, 20000


def chosen(value):
    return value


def other(value):
    return value


def fails():
    raise KeyError


def least(function):
    best = 1e9
    for _ in range(ROUNDS):
        begin = time.perf_counter_ns()
        for _ in range(CALLS):
            function(1)
        best = min(best, (time.perf_counter_ns() - begin) / CALLS)
    return best


def passed():
    best = 1e9
    for _ in range(ROUNDS):
        begin = time.perf_counter_ns()
        for _ in range(CALLS):
            try:
                fails()
            except KeyError:
                pass
        best = min(best, (time.perf_counter_ns() - begin) / CALLS)
    return best


def first():
    """Of functions that nobody has called yet."""
    best = 1e9
    for _ in range(ROUNDS // 4):
        names = {}
        exec("\n".join(f"def f{number}(value):\n    return value\n" for number in range(2000)), names)
        functions = [names[f"f{number}"] for number in range(2000)]
        begin = time.perf_counter_ns()
        for function in functions:
            function(1)
        best = min(best, (time.perf_counter_ns() - begin) / 2000)
    return best


def main():
    print(json.dumps({"chosen": least(chosen), "other": least(other), "passed": passed(), "first": first()}))


if __name__ == "__main__":
    main()
