# SPDX-License-Identifier: Apache-2.0
"""Compares how long each wait took by a trace with how long it took by the truth file.

No wait is measured against a limit of time, so a busy machine changes nothing. What must hold, but for the error of the clocks:

* it begins in the call, so before the truth's, which begins inside the driver, and after all that the thread did in its calls before; or
  where another wait of the call ended;
* a call that is there to wait lasts until it returns: not less than until the host had woken up, and not beyond what the thread did next;
* in every other call it ends at the moment at which what was waited for had ended, in a full queue when that had begun. The truth's own
  end is later, by what the host took to wake up."""

import bisect
import re
import statistics
from collections import defaultdict

from gpu_truth import FIRST_CORRELATION

WAIT_ROWS = 251 * 2**23  # a thread's row of waits: this much above its tid
EXPLICIT = ("device", "stream", "event", "legacy_stream", "query_spin")
WAITS = ("wait", "no_wait")
QUEUES = ("queue_full", "graph")
FORM = re.compile(r"^__|(_v\d|_ptsz|_ptds)+$")  # what the trace leaves out of a call's name


class WaitCosts:
    """`faults`; `blocked_ns`: by class, how many waits were compared, and how long they took by the truth and by the trace."""

    def __init__(self, trace, truth, offsets, error_ns):
        """`offsets`: of the trace's clock from the truth's, one of each operation."""
        self.offset = statistics.median(offsets) if offsets else 0
        self.error_ns = 2 * error_ns + 2
        self.faults, self.blocked_ns = [], defaultdict(lambda: [0, 0, 0])
        self.work, self.moments, self.first = defaultdict(list), defaultdict(list), {}
        true, told = defaultdict(list), defaultdict(list)
        for row in truth:
            self.note(row)
        for row in truth:
            if row["op"] == "wait" and not row["already_done"]:
                true[row["thread"], row["class"], row["waited_for"]].append(self.second_of_call(row))
        for moments in self.moments.values():
            moments.sort()
        self.told_ends = {(wait.tid, wait.end) for wait in trace.waits()}
        for wait in trace.waits():
            correlation = (wait.args["waited_for"] or FIRST_CORRELATION) - FIRST_CORRELATION
            if not wait.args["already_done"]:
                told[wait.tid - WAIT_ROWS, wait.args["class"], correlation].append(wait)
        for key, rows in true.items():
            self.pair(rows, told[key])

    def pair(self, rows, waits):
        """Waits of one thread never overlap. Which are missing or invented is judged elsewhere."""
        left = []
        for row in rows:
            same = [w for w in waits if w.begin - self.offset <= row["end_ns"] and row["start_ns"] <= w.end - self.offset]
            if same:
                waits.remove(same[0])
                self.compare(row, same[0])
            else:
                left.append(row)
        if left and waits:
            self.faults.append(f"{left[0]} is told to be at another time: {waits[0]}")

    def note(self, row):
        if "end_ns" in row and row["op"] not in WAITS:
            self.work[row["correlation"]].append((row["start_ns"], row["end_ns"]))
        for key in ("queued_ns", "time_ns") if row["op"] not in WAITS else ("start_ns", "end_ns"):
            if key in row and "thread" in row:
                self.moments[row["thread"]].append((row[key], row["correlation"]))

    def second_of_call(self, row):
        """A second wait of one call begins where the first ended; the truth has the call's entry."""
        key = row["thread"], row["correlation"]
        begin = max(row["start_ns"], self.first.get(key, 0))
        self.first[key] = self.held_until(row)
        return {**row, "start_ns": begin}

    def around(self, row):
        """When the thread last did something in a call before, and when it first did in one behind."""
        moments = self.moments[row["thread"]]
        before, behind = bisect.bisect_left(moments, (row["start_ns"], 0)) - 1, bisect.bisect_right(moments, (row["end_ns"], 2**64))
        while before >= 0 and moments[before][1] == row["correlation"]:
            before -= 1
        while behind < len(moments) and moments[behind][1] == row["correlation"]:
            behind += 1
        return moments[before][0] if before >= 0 else 0, moments[behind][0] if behind < len(moments) else 2**64

    def held_until(self, row):
        """What the wait was for is an operation, or a graph's: all of one correlation."""
        work = self.work[row["waited_for"]]
        if not work:
            return row["end_ns"]
        held = min(begin for begin, _ in work) if row["class"] in QUEUES else max(end for _, end in work)
        return min(max(held, row["start_ns"]), row["end_ns"])

    def follows_another(self, wait):
        """Slices of one row that would touch are 1 ns apart."""
        return any((wait.tid, wait.begin - apart) in self.told_ends for apart in (0, 1))

    def compare(self, row, wait):
        begin, end, error = wait.begin - self.offset, wait.end - self.offset, self.error_ns
        before, behind = self.around(row)
        if row["class"] in EXPLICIT:
            true_end, ends_well = row["end_ns"], row["end_ns"] - error <= end <= behind + error
        else:
            true_end = self.held_until(row)
            ends_well = abs(end - true_end) <= error
        # Or where another wait of the call is told to end: the truth has none of what was over when the driver looked.
        begins_well = before - error <= begin <= row["start_ns"] + error or self.follows_another(wait)
        if not (begins_well and ends_well):
            told = f"{begin - row['start_ns']:.0f} ns behind its begin to {end - true_end:.0f} ns behind its end"
            self.faults.append(f"{row} is told from {told}: {wait}")
        if abs(wait.args["blocked_us"] * 1000 - (wait.end - wait.begin)) > 1:
            self.faults.append(f"the cost is not the length of {wait}")
        if wait.args["call"] != FORM.sub("", row["call"]):
            self.faults.append(f"{row} is told to be of another call: {wait}")
        sums = self.blocked_ns[row["class"]]
        for number, value in enumerate((1, true_end - row["start_ns"], wait.end - wait.begin)):
            sums[number] += value
