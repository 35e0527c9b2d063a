# SPDX-License-Identifier: Apache-2.0
"""Compares what a trace says of GPUs with the truth file of the simulated ones.

gpu_truth.py [--nodes] TRACE TRUTH     prints each difference and the figures; exit status 1 if there is a difference
                                       --nodes: recorded with --cuda-graphs node
"""

import json
import re
import subprocess
import sys
from collections import defaultdict

from chrome_trace import load, nanoseconds

OPERATIONS = {"kernel": "kernel", "collective": "kernel", "memcpy": "gpu_memcpy", "memset": "gpu_memset"}
GIVEN = {*OPERATIONS, "graph_launch"}
FIRST_CORRELATION = 65536
MOST_FAULTS = 20


def category_of(row, nodes):
    """Of a graph's launch either the nodes count or the whole."""
    if row["op"] == "graph_launch":
        return None if nodes else "kernel"
    return OPERATIONS.get(row["op"]) if nodes or "graph" not in row else None


def rows_of(path):
    """The lines of a truth file. A program that ends while its threads launch may cut the last one, which has no end then."""
    with open(path) as file:
        return [json.loads(line) for line in file if line.endswith("\n")]


def true_operations(path, nodes):
    """What ended, by (device, stream, correlation, category), in the order of beginnings."""
    found = defaultdict(list)
    for row in rows_of(path):
        category = category_of(row, nodes)
        if category and row.get("copy_kind") != "HtoH":
            found[row["device"], row["stream"], row["correlation"], category].append(row)
    for rows in found.values():
        rows.sort(key=lambda row: (row["start_ns"], row["end_ns"]))
    return found


def undelivered(trace, path):
    """The correlations of calls that returned and gave a GPU work, of which nothing is in the trace."""
    rows = rows_of(path)
    given = {row["correlation"] for row in rows if GIVEN & {row["op"], row.get("kind")} and row.get("copy_kind") != "HtoH"}
    return given - delivered(trace) - under_way(trace)


def delivered(trace):
    return {op.args["correlation"] - FIRST_CORRELATION for op in trace.device_ops()}


def under_way(trace):
    """The correlations of the calls that the process died in, and of which nothing is in the trace: what they gave a GPU by then nobody
    can know."""
    return {call.args["correlation"] - FIRST_CORRELATION for call in trace.calls() if "reason" in call.args} - delivered(trace)


def told_operations(trace):
    found = defaultdict(list)
    for event, (begin, duration) in zip(trace.events, trace.times):
        if event["ph"] != "X" or event["cat"] not in OPERATIONS.values():
            continue
        args = event["args"]
        key = (args["device"], args["stream"], args["correlation"] - FIRST_CORRELATION, event["cat"])
        found[key].append((nanoseconds(begin), nanoseconds(duration), event))
    for rows in found.values():
        rows.sort(key=lambda row: row[:2])
    return found


def demangled(names):
    """Mangled names to those that people read."""
    names = sorted(set(names))
    text = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True).stdout
    return dict(zip(names, text.splitlines()))


class Comparison:
    """Faults, and how far times are off once the clocks' offset is taken out."""

    def __init__(self, trace_path, truth_path, error_ns=None, nodes=False, lost=frozenset()):
        """`lost`: correlations of what need not be in the trace."""
        self.trace, self.faults = load(trace_path), []
        self.true, self.told = true_operations(truth_path, nodes), told_operations(self.trace)
        self.true = {key: rows for key, rows in self.true.items() if key[2] not in lost}
        self.matched, self.offsets, self.durations = 0, [], []
        self.names = demangled(row["name"] for rows in self.true.values() for row in rows)
        self.error_ns = error_ns if error_ns is not None else self.stated_error()
        self.compare()

    def stated_error(self):
        processes = self.trace.document["metadata"]["processes"]
        return max((p["device_clock"]["error_ns"] for p in processes if "device_clock" in p), default=0)

    def expect(self, good, fault):
        if not good and len(self.faults) < MOST_FAULTS:
            self.faults.append(fault)

    def compare(self):
        for key in sorted(set(self.true) | set(self.told)):
            true, told = self.true.get(key, []), self.told.get(key, [])
            self.expect(len(true) == len(told), f"{key}: {len(true)} happened, {len(told)} are in the trace")
            for row, (begin, duration, event) in zip(true, told):
                self.matched += 1
                self.same(row, event)
                self.offsets.append(begin - row["start_ns"])
                self.durations.append(abs(duration - (row["end_ns"] - row["start_ns"])))
        # The truth's clock is CLOCK_MONOTONIC: its offset from the trace's is one number.
        spread = max(self.offsets, default=0) - min(self.offsets, default=0)
        self.spread = spread
        self.expect(spread <= 2 * self.error_ns + 2, f"times are off by up to {spread} ns, stated {self.error_ns} ns")

    def same(self, row, event):
        if row["op"] in ("kernel", "collective"):
            self.expect(event["name"] == self.names[row["name"]], f"{event['name']} is {row['name']}")
            return
        if row["op"] == "graph_launch":
            self.expect(event["name"] == f"graph {row['graph']}", f"{event['name']} is a launch of graph {row['graph']}")
            return
        self.expect(event["args"]["bytes"] == row["bytes"], f"{event} has {row['bytes']} bytes")
        if row["op"] == "memcpy":
            kind = re.match(r"Memcpy (\w+) \(", event["name"]).group(1)
            self.expect(kind == row["copy_kind"], f"{event['name']} is {row['copy_kind']}")


def counted(t, recording, truth, what, rank=0, nodes=False, kind="gpu_undelivered"):
    """Each operation that is missing is counted as lost, as `kind`, and nothing else; the rest is there and right. Gives what is lost."""
    trace = recording.trace(rank)
    lost = undelivered(trace, truth)
    t.equal(recording.losses(rank), {kind: len(lost)} if lost else {}, f"{what}: without record are {sorted(lost)}")
    t.equal(Comparison(trace.path, truth, nodes=nodes, lost=lost | under_way(trace)).faults, [], what)
    return lost


def main():
    paths = [word for word in sys.argv[1:] if word != "--nodes"]
    found = Comparison(*paths, nodes="--nodes" in sys.argv)
    for fault in found.faults:
        print(fault)
    print(f"{found.matched} operations matched; start off by up to {found.spread} ns (stated error {found.error_ns} ns)")
    return 1 if found.faults else 0


if __name__ == "__main__":
    sys.exit(main())
