# SPDX-License-Identifier: Apache-2.0
"""Holds what the findings of a rank say of devices and ranges against the truth file of the simulated GPUs. Ranges, calls and waits are
those of the trace (510 and 515 hold these to the truth); what devices did is the truth's alone."""

import bisect
import re
import statistics
from collections import Counter, defaultdict

from findings_check import gap_parts
from gpu_truth import FIRST_CORRELATION, Comparison

EDGE_NS = 4  # each end of what is told, beside how far the clocks go from each other: whole nanoseconds, several times converted


def union(spans):
    merged = []
    for begin, end in sorted(spans):
        if merged and begin <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((begin, end))
    return merged


def length(spans):
    return sum(end - begin for begin, end in spans)


def within(spans, begin, end):
    """How much of disjoint spans in order lies between two moments."""
    first = bisect.bisect_right(spans, (begin, begin)) - 1
    last = bisect.bisect_right(spans, (end, end))
    return sum(max(0, min(e, end) - max(b, begin)) for b, e in spans[max(first, 0):last])


class Operation:
    def __init__(self, row, names, offset):
        self.begin, self.end = row["start_ns"] + offset, row["end_ns"] + offset
        self.correlation, self.device, self.op = row["correlation"], row["device"], row["op"]
        self.name = f"graph {row['graph']}" if self.op == "graph_launch" else names.get(row.get("name"))

    @property
    def computes(self):
        return self.op in ("kernel", "graph_launch") and not self.name.startswith("nccl")


class TrueRank:
    """The operations of the truth on the trace's clock, with the calls and ranges of the trace."""

    def __init__(self, trace_path, truth_path):
        compared = Comparison(trace_path, truth_path)
        self.faults, self.trace = compared.faults, compared.trace
        self.edge_ns = EDGE_NS + compared.spread
        offset = round(statistics.median(compared.offsets))
        rows = [row for rows in compared.true.values() for row in rows]
        names = {row["name"]: compared.names[row["name"]] for row in rows if row["op"] != "graph_launch" and "name" in row}
        self.operations = sorted((Operation(row, names, offset) for row in rows), key=lambda op: (op.device, op.begin))
        self.calls = {call.args["correlation"] - FIRST_CORRELATION: call
                      for call in sorted(self.trace.calls(), key=lambda call: (-call.begin, call.end)) if "correlation" in call.args}
        self.busy = defaultdict(list)
        for op in self.operations:
            self.busy[op.device].append((op.begin, op.end))
        self.busy = {device: union(spans) for device, spans in self.busy.items()}


class Judge:
    """`told`: of `syncline findings --json`."""

    def __init__(self, told, rank, true):
        self.told, self.true, self.rank = told, true, rank
        self.faults, self.compared, self.most_off = list(true.faults), 0, 0
        self.devices()
        self.kernels()
        self.starved()
        self.ranges()

    def near(self, what, told, true, slack=0):
        self.compared += 1
        self.most_off = max(self.most_off, abs(told - true))
        if abs(told - true) > slack:
            self.faults.append(f"{what}: {told} is told, {true} is true, give or take {slack}")

    def devices(self):
        told = {device["device"]: device for device in self.told["ranks"][self.rank]["devices"]}
        self.near("devices", len(told), len(self.true.busy))
        gaps = Counter()
        for device in told.values():
            gaps.update(device["gaps_ns"])
        parts = [part for gap in self.true.trace.gaps() for part in gap_parts(gap)]
        for cause in set(gaps) | {cause for cause, _ in parts}:
            of_cause = [ns for other, ns in parts if other == cause]
            self.near(f"gaps, {cause}", gaps[cause], sum(of_cause), 2 * EDGE_NS * len(of_cause))
        for number, device in told.items():
            ops = [op for op in self.true.operations if op.device == number]
            busy, slack = self.true.busy[number], 2 * self.true.edge_ns * len(ops)
            whole = max(op.end for op in ops) - min(op.begin for op in ops)
            self.near("busy_ns", device["busy_ns"], length(busy), slack)
            self.near("idle_ns", device["idle_ns"], whole - length(busy), slack)
            self.near("kernels_ns", device["kernels_ns"], length(union((op.begin, op.end) for op in ops if op.computes)), slack)
            launched = [(op, self.true.calls[op.correlation]) for op in ops if op.correlation in self.true.calls]
            self.near("queued_ns", device["queued_ns"], sum(op.begin - call.begin for op, call in launched), slack)
            delays = {}
            for op, call in launched:
                delays[op.correlation] = min(op.begin - call.begin, delays.get(op.correlation, op.begin))
            self.near("launches", device["launch_delay"]["count"], len(delays))
            self.near("launch_delay", device["launch_delay"]["total_ns"], sum(delays.values()), slack)

    def kernels(self):
        true = defaultdict(list)
        for op in self.true.operations:
            if op.op in ("kernel", "collective", "graph_launch"):
                true[op.name].append(op.end - op.begin)
        told = {row["name"]: row for row in self.told["kernels"]}
        self.near(f"names of kernels {sorted(told)} {sorted(true)}", len(told), len(true))
        for name, row in told.items():
            self.near(name, row["count"], len(true[name]))
            self.near(name, row["total_ns"], sum(true[name]), 2 * self.true.edge_ns * len(true[name]))

    def starved(self):
        """Where an end and a begin are too near for the clocks to tell which was first, either is right."""
        least, most, idle = Counter(), Counter(), Counter()
        until = {}
        for op in self.true.operations:
            before, call = until.get(op.device), self.true.calls.get(op.correlation)
            until[op.device] = max(op.end, before or 0)
            if before is None or call is None or op.op not in ("kernel", "collective", "graph_launch"):
                continue
            margin = min(op.begin - before, call.begin - before)
            if margin >= -2 * self.true.edge_ns:
                most[op.name] += 1
                least[op.name] += margin > 2 * self.true.edge_ns
                idle[op.name] += op.begin - before
        told = {row["name"]: row for row in self.told["starved"]}
        for name in set(told) | set(most):
            row = told.get(name, {"count": 0, "idle_ns": 0})
            self.near(f"starved {name}", row["count"], most[name], most[name] - least[name])
            if least[name] == most[name]:
                self.near(f"idle before {name}", row["idle_ns"], idle[name], 2 * self.true.edge_ns * most[name])

    def ranges(self):
        true = defaultdict(Counter)
        for r in self.true.trace.ranges():
            name = re.sub(r"^step \d+$", "step #", r.name)
            of_name = true[name]
            for op in self.true.operations:
                call = self.true.calls.get(op.correlation)
                if call and (call.pid, call.tid) == (r.pid, r.tid) and r.begin <= call.begin < r.end:
                    of_name["launched"] += 1
                    of_name["device_ns"] += op.end - op.begin
            waits = union((w.begin, w.end) for w in self.true.trace.waits() if w.pid == r.pid and w.tid % 2**23 == r.tid)
            of_name["blocked_ns"] += within(waits, r.begin, r.end)
            of_name["ends"] += 2 + len(waits) + sum(begin < r.end and end > r.begin for spans in self.true.busy.values() for begin, end in spans)
            of_name["busy_ns"] += sum(within(spans, r.begin, r.end) for spans in self.true.busy.values())
            of_name["busy_of_ns"] += len(self.true.busy) * (r.end - r.begin)
        told = {row["name"]: row for row in self.told["stages"]}
        self.near(f"names of ranges {sorted(told)} {sorted(true)}", len(told), len(true))
        for name, row in told.items():
            self.near(f"{name}, launched", row["launched"], true[name]["launched"])
            slack = 2 * self.true.edge_ns * (true[name]["launched"] + true[name]["ends"])
            for field in ("device_ns", "blocked_ns", "busy_ns", "busy_of_ns"):
                self.near(f"{name}, {field}", row[field], true[name][field], slack)
