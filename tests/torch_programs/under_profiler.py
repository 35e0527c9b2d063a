# SPDX-License-Identifier: Apache-2.0
"""Runs another of these programs under torch.profiler, as its user would have written it:

under_profiler.py [--shapes] TRACE.json PROGRAM [ARG]..."""

import runpy
import sys

from torch.profiler import ProfilerActivity, profile


def main():
    shapes = sys.argv[1] == "--shapes"
    path, program = sys.argv[1 + shapes : 3 + shapes]
    sys.argv = sys.argv[2 + shapes :]
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=shapes) as profiler:
        runpy.run_path(program, run_name="__main__")
    profiler.export_chrome_trace(path)


if __name__ == "__main__":
    main()
