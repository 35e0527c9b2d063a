#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what a recording holds, read from its traces: per rank, the ranges by name, and how to look at them."""

import collections
import gzip
import json
import pathlib
import sys

SHOWN = 4


def load(path):
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def row(trace):
    """(number of ranges, text of the most expensive names) of one trace."""
    times, calls = collections.Counter(), collections.Counter()
    for event in trace["traceEvents"]:
        if event.get("ph") == "X" and event.get("cat") == "user_annotation":
            name = event["name"].rstrip("0123456789").strip() or event["name"]
            times[name] += event["dur"]
            calls[name] += 1
    shown = [f"{name} x{calls[name]} {times[name] / 1000:.1f} ms" for name, _ in times.most_common(SHOWN)]
    return sum(calls.values()), ", ".join(shown)


def main():
    folder = pathlib.Path(sys.argv[1])
    traces = sorted(folder.glob("rank-*.trace.json*"))
    if not traces:
        sys.exit(f"demo: no trace in {folder}")
    for path in traces:
        count, text = row(load(path))
        print(f"{path.name} ({path.stat().st_size / 1024:.0f} KiB): {count} ranges: {text}")
    print(f"""
To look at it:
  build/release/bin/syncline view {folder}    (serves it from 127.0.0.1 and opens the Perfetto UI)
  or drop a file of {folder} onto https://ui.perfetto.dev or chrome://tracing
In Python: hta.trace_analysis.TraceAnalysis(trace_dir="{folder}")
To record your own program: build/release/bin/syncline -- program args""")


if __name__ == "__main__":
    main()
