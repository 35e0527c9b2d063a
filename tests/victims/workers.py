# SPDX-License-Identifier: Apache-2.0
"""Python multiprocessing: workers by fork or spawn that record and leave by os._exit (and pool
workers that do not)."""

import multiprocessing
import os
import sys

import nvtx


def work(number):
    with nvtx.annotate(f"worker {number}"):
        for item in range(3):
            with nvtx.annotate(f"item {number}.{item}", domain="loader"):
                pass
    os._exit(0)


def square(number):
    with nvtx.annotate(f"square {number}"):
        return number * number


def main():
    context = multiprocessing.get_context(sys.argv[1])
    with nvtx.annotate("parent"):
        processes = [context.Process(target=work, args=(number,)) for number in range(3)]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
        with context.Pool(2) as pool:
            print(sum(pool.map(square, range(6))), [process.exitcode for process in processes])


if __name__ == "__main__":
    main()
