# SPDX-License-Identifier: Apache-2.0
"""Runs another of these programs with observers of its own: torch.profiler's, and the one that writes execution traces, both of which
PyTorch tells of each operator. observed.py TRACE.json NODES.json PROGRAM [ARG]..."""

import runpy
import sys

from torch.profiler import ExecutionTraceObserver, ProfilerActivity, profile


def main():
    trace, nodes, program = sys.argv[1:4]
    sys.argv = sys.argv[3:]
    observer = ExecutionTraceObserver().register_callback(nodes)
    with profile(activities=[ProfilerActivity.CPU], execution_trace_observer=observer) as profiler:
        runpy.run_path(program, run_name="__main__")
    profiler.export_chrome_trace(trace)


if __name__ == "__main__":
    main()
