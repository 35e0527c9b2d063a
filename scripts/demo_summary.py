#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what a recording holds, read from its traces: per rank, the ranges by name, the GPUs' work and what the program waited
for, and how to look at them."""

import collections
import gzip
import json
import pathlib
import sys

SHOWN = 4
OPERATIONS = {"kernel": "kernels", "gpu_memcpy": "copies", "gpu_memset": "memsets"}


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


def gpu_rows(trace):
    """Lines about the GPUs' work and the waits for it; none if there was none."""
    gpus, waits, calls = collections.defaultdict(collections.Counter), collections.Counter(), collections.Counter()
    names = {event["pid"]: event["args"]["name"] for event in trace["traceEvents"] if event.get("name") == "process_name"}
    for event in trace["traceEvents"]:
        if event.get("ph") == "X" and event.get("cat") in OPERATIONS:
            gpus[names.get(event["pid"], event["pid"])][OPERATIONS[event["cat"]]] += 1
        if event.get("ph") == "X" and event.get("cat") == "sync_wait":
            key = event["args"]["call"], event["args"]["class"], event["args"].get("ranges", "").split(" > ")[-1]
            waits[key] += event["dur"]
            calls[key] += 1
    if not gpus:
        return []
    lines = [f"{name}: " + ", ".join(f"{count} {what}" for what, count in did.most_common()) for name, did in sorted(gpus.items())]
    lines.append(f"waited for the GPU {sum(waits.values()) / 1000:.1f} ms, {sum(calls.values())} times; most of it in")
    for (call, kind, around), took in waits.most_common(SHOWN):
        lines.append(f"  {call} ({kind}){' in ' + around if around else ''}: x{calls[call, kind, around]}, {took / 1000:.1f} ms")
    return lines


def main():
    folder = pathlib.Path(sys.argv[1])
    traces = sorted(folder.glob("rank-*.trace.json*"))
    if not traces:
        sys.exit(f"demo: no trace in {folder}")
    for path in traces:
        trace = load(path)
        count, text = row(trace)
        print(f"{path.name} ({path.stat().st_size / 1024:.0f} KiB): {count} ranges: {text}")
        for line in gpu_rows(trace):
            print(f"  {line}")
    print(f"""
To look at it:
  build/release/bin/syncline view {folder}    (serves it from 127.0.0.1 and opens the Perfetto UI)
  or drop a file of {folder} onto https://ui.perfetto.dev or chrome://tracing
What to change first, and what took the time: build/release/bin/syncline report {folder}
All that was found: build/release/bin/syncline report --all {folder}
In Python: hta.trace_analysis.TraceAnalysis(trace_dir="{folder}")
To record your own program: build/release/bin/syncline -- program args""")


if __name__ == "__main__":
    main()
