# SPDX-License-Identifier: Apache-2.0
"""Calls of a function that --python-ranges may choose and of one that it does not: the nanoseconds of a call of each, and of one frame of an
unchosen function that an exception passes, as one JSON object.

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


def main():
    print(json.dumps({"chosen": least(chosen), "other": least(other), "passed": passed()}))


if __name__ == "__main__":
    main()
