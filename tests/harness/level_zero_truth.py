# SPDX-License-Identifier: Apache-2.0
"""Compares what a trace says of Level Zero with the truth file of the simulated driver.

level_zero_truth.py TRACE TRUTH     prints each difference; exit status 1 if there is one

The truth file has no correlation ids. The operations of a stream are paired in their order, and an `id` of the truth file then is the
correlation id of the operation that it was paired with."""

import statistics
import sys
from collections import defaultdict

from chrome_trace import load
from gpu_truth import demangled, rows_of

WAIT_ROWS = 251 * 2**23  # a thread's row of waits: this much above its tid
CATS = {"kernel": "kernel", "memcpy": "gpu_memcpy", "memset": "gpu_memset"}
OF_A_TYPE = "typeinfo name for "  # SYCL's kernels have the names of their types
IF_IT_WAITED = ("allocation",)  # gives a wait only if the host really waited
MOST_FAULTS = 20


class Comparison:
    """`faults` are texts. `lost`: so many operations are not in the trace; then times and waits are not compared."""

    def __init__(self, trace_path, truth_path, pid=None, lost=None):
        self.trace, self.faults, self.offsets, self.told_as = load(trace_path), [], [], {}
        rows = [row for row in rows_of(truth_path) if pid is None or row.get("pid", pid) == pid]
        self.true = [row for row in rows if row["op"] in CATS]
        # Threads without calls are the profiler's own, which looks whether events are signaled.
        threads = {call.tid for call in self.trace.calls()}
        self.waits = [row for row in rows if row["op"] == "wait" and row["thread"] in threads]
        self.told = sorted(self.trace.device_ops(), key=lambda op: (op.begin, op.end))
        self.names = demangled(row["name"] for row in self.true if row["op"] == "kernel")
        self.matched = self.right = 0
        if lost is not None:
            self.expect(len(self.told) == len(self.true) - lost, f"{len(self.true)} happened, {lost} lost, {len(self.told)} told")
            self.some_operations()
            return
        self.error_ns = self.stated_error() if self.true else 0
        self.operations()
        self.compare_waits()

    def expect(self, good, fault):
        if not good and len(self.faults) < MOST_FAULTS:
            self.faults.append(fault)

    def some_operations(self):
        """What is told is one of what happened, each at its own time: of the distances between the two clocks there is one that fits all."""
        true = defaultdict(list)
        for row in self.true:
            true[self.names[row["name"]].removeprefix(OF_A_TYPE) if row["op"] == "kernel" else CATS[row["op"]]].append(row["start_ns"])
        told = [(op.name if op.cat == "kernel" else op.cat, op.begin) for op in self.told]
        if not told:
            return
        error_ns = 2 * self.stated_error()

        def strangers(offset):
            near = [any(abs(begin - offset - start) <= error_ns for start in true[name]) for name, begin in told]
            return near.count(False)
        best = min((strangers(told[0][1] - start) for start in true[told[0][0]]), default=len(told))
        self.expect(best == 0, f"{best} of {len(told)} operations that are told did not happen at their times")

    def stated_error(self):
        return 2 * max(p["device_clock"]["error_ns"] for p in self.trace.metadata["processes"] if "device_clock" in p) + 2

    def operations(self):
        true, told = defaultdict(list), defaultdict(list)
        for row in sorted(self.true, key=lambda row: (row["start_ns"], row["id"])):
            true[row["stream"]].append(row)
        for op in self.told:
            told[op.args["stream"]].append(op)
        for stream in sorted(set(true) | set(told)):
            self.expect(len(true[stream]) == len(told[stream]),
                        f"stream {stream}: {len(true[stream])} happened, {len(told[stream])} are in the trace")
            for row, op in zip(true[stream], told[stream]):
                self.pair(row, op)
        spread = max(self.offsets, default=0) - min(self.offsets, default=0)
        self.expect(spread <= 2 * self.error_ns, f"times are off by up to {spread} ns, stated {self.error_ns} ns")

    def pair(self, row, op):
        self.matched += 1
        self.told_as[row["id"]] = op.args["correlation"]
        self.offsets.append(op.begin - row["start_ns"])
        length = row["end_ns"] - row["start_ns"]
        # A tick of the device at each end, and the clock's own rate.
        self.expect(abs(op.end - op.begin - length) <= 110 + length // 1000, f"{op} lasts {length} ns")
        self.expect(op.cat == CATS[row["op"]], f"{op} is {row}")
        self.expect(op.args["device"] == row["device"] or "sub_device" in row, f"{op} is {row}")
        if row["op"] == "kernel":
            self.expect(op.name == self.names[row["name"]].removeprefix(OF_A_TYPE), f"{op} is {row['name']}")
            return
        self.expect(op.args.get("bytes") == row["bytes"], f"{op} has {row['bytes']} bytes")

    def compare_waits(self):
        offset = statistics.median(self.offsets) if self.offsets else 0
        true, told = defaultdict(list), defaultdict(list)
        for row in sorted(self.waits, key=lambda row: row["start_ns"]):
            true[row["thread"], row["class"]].append(row)
        for wait in sorted(self.trace.waits(), key=lambda wait: wait.begin):
            told[wait.tid - WAIT_ROWS, wait.args["class"]].append(wait)
        for key in set(true) | set(told):
            if key[1] in IF_IT_WAITED and len(true[key]) < len(told[key]):
                continue  # pending at the call's entry and over when the driver looked: the truth file says nothing of it
            self.expect(len(true[key]) == len(told[key]), f"waits of {key}: {len(true[key])} happened, {len(told[key])} are told: "
                        f"{[row['call'] for row in true[key]][:5]}, {told[key][:5]}")
            for row, wait in zip(true[key], told[key]):
                self.pair_wait(row, wait, offset)

    def pair_wait(self, row, wait, offset):
        # An event that got time stamps from us is asked by a wait of no length.
        same_call = wait.args["call"] == row["call"] or {wait.args["call"], row["call"]} == {"zeEventQueryStatus", "zeEventHostSynchronize"} \
            and row["class"] == "query_spin"
        self.expect(same_call, f"{wait} is {row}")
        work = self.told_as.get(row["waited_for_id"])
        named = wait.args["waited_for"]
        timed_out = row.get("result") == "not_ready"  # for what is still pending
        # What was over already may be any of what ended before.
        same = named == work or row["already_done"] and wait.args["already_done"] or timed_out
        self.expect(same, f"{wait} was for {work}, {row}")
        # A command waits for itself, from its call on: never over already, though the driver may find it so.
        command = "Append" in row["call"] or "Execute" in row["call"]
        # The thread may have lost its processor between the call's entry and the driver's.
        close = wait.begin - offset - self.error_ns <= row["over_ns"] <= row["start_ns"] + self.error_ns
        self.expect(wait.args["already_done"] == row["already_done"] or close or timed_out or command, f"{wait} is {row}")
        around = wait.begin - offset <= row["start_ns"] + self.error_ns and wait.end - offset >= min(row["end_ns"], row["over_ns"]) - self.error_ns
        self.expect(around, f"{wait} is not around {row}")
        self.right += not self.faults


def main():
    found = Comparison(sys.argv[1], sys.argv[2])
    for fault in found.faults:
        print(fault)
    print(f"{found.matched} operations and {found.right} waits matched")
    return 1 if found.faults else 0


if __name__ == "__main__":
    sys.exit(main())
