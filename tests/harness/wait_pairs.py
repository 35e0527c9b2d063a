# SPDX-License-Identifier: Apache-2.0
"""Pairs each wait of a trace with the one of the truth file that it tells of.

A wait is told right if the truth has one of the same thread and class at the same time, for the same operation, which was over already
or not as is told. Nothing is judged by a share of the waits: what differs has to be a fact of the truth file.

* An operation that ended no earlier than the one that the truth names, by when the condition held, may be told (`ended_as_late`).
* `already_done` may differ only where what was waited for ended within the error of the clocks of the moment from which on it counts:
  of explicit calls their entry into the driver, of others the time between the entry that is seen from outside and the driver's look.
* A spin on an event that was recorded again between two queries (`ready_for` is not `waited_for`) is for any operation that ended during the
  spin: queries have no record that names their event, and PyTorch's watchdog asks so seldom that it meets several recordings.
* What an event stands for is seen in the order of correlation ids, which are given before a call is entered. Where another thread's work with
  a larger id came before the event's recording in its stream (`overtaken`), an operation before that is told.
* Where the truth names work of another thread's call that was under way at the entry, and waiting is not certain, other work may be told
  that was over by then; and such work may be told where the truth names other: outside the order of two calls that overlap is not seen.
* `unneeded`: what was waited for ended between the call's entry, as seen from outside, and the driver's look (`no_wait` of the truth
  file). Nobody outside sees the look, so a wait is told that ends where the work did. Only classes that do not always give a record have it.
  What another thread submitted between entry and look may be over by the look too; the truth then names that, and outside is seen what was
  there at the entry. And a call of another thread that was under way at the entry may have submitted its work after the look: outside
  the order of two calls that overlap is not seen.
* `hidden`: a true wait that no rule can find from outside. The figures are those of the analysis' own rules (stalled_calls.h):
  it ended within the error of the clocks of its begin; or the device's record of a full queue is shorter than LEAST_NS;
  or it is a graph's launch behind fewer than FEWEST_LAUNCHES_TO_FILL others in its stream;
  or it is one where waiting is the exception, and its call took less than four times as long as others of its name or less than
  EXCEPTION_NS more, or the host lost its processor on waking, for longer than WAKE_NS, than it had waited and than such a call takes.
"""

import re
import statistics
from collections import defaultdict

from gpu_truth import FIRST_CORRELATION

WAIT_ROWS = 251 * 2**23  # a thread's row of waits: this much above its tid
EXPLICIT = ("device", "stream", "event", "legacy_stream", "query_spin")
IF_IT_WAITED = ("allocation", "module_load", "queue_full", "graph")
LEAST_NS = 100
FEWEST_LAUNCHES_TO_FILL = 64
EXCEPTION_NS = 20_000
WAKE_NS = 100_000
ENDED = ("kernel", "collective", "memcpy", "memset")
ALLOCATES = re.compile(r"^cudaMalloc|^cuMem(Alloc|Create)")


class WaitPairs:
    """`right`: how many; the others are lists of what was said above, each a text. `missed` is what could be seen and is not told,
    `invented` what is told and not true: no such wait, or another operation, or wrongly over already."""

    def __init__(self, trace, truth, offsets, error_ns):
        """`offsets`: of the trace's clock from the truth's, one of each operation."""
        self.offset, self.error_ns = statistics.median(offsets) if offsets else 0, 2 * error_ns + 2
        self.right, self.missed, self.hidden, self.invented, self.unneeded = 0, [], [], [], []
        self.calls = {call.args["correlation"] - FIRST_CORRELATION: call for call in trace.calls() if "correlation" in call.args}
        rows = [row for row in truth if row["op"] == "wait"]
        self.ends = {row["correlation"]: row["end_ns"] for row in truth if row["op"] in ENDED}
        self.begins = {row["correlation"]: row["start_ns"] for row in truth if row["op"] in ENDED}
        self.streams = {row["correlation"]: row["stream"] for row in truth if row["op"] in ENDED}
        self.overtaken = {row["waits_for"] for row in truth if row["op"] == "event_record" and row["correlation"] < row["waits_for"]}
        self.learn(trace, {row["correlation"] for row in rows})
        told = defaultdict(list)
        for wait in trace.waits():
            told[wait.tid - WAIT_ROWS, wait.args["class"]].append(wait)
        for row in sorted(rows, key=lambda row: row["start_ns"]):
            self.judge(row, told[row["thread"], row["class"]])
        looks = defaultdict(list)
        for row in truth:
            if row["op"] == "no_wait":
                looks[row["thread"], row["class"]].append(row)
        for key, waits in told.items():
            for wait in waits:
                same = [row for row in looks[key] if self.meets(row, wait) and self.ended_before_look(row, waited_for(wait))]
                unseen = same or key[1] in IF_IT_WAITED and self.was_being_submitted(wait)
                (self.unneeded if unseen else self.invented).append(self.text(wait))

    def learn(self, trace, waited):
        """How long calls of a name take that did not wait."""
        lengths = defaultdict(list)
        for call in trace.calls():
            if call.args.get("correlation", 0) - FIRST_CORRELATION not in waited:
                lengths[call.name].append(call.end - call.begin)
        self.usual = {name: statistics.median(some) for name, some in lengths.items()}

    def meets(self, row, wait):
        return (wait.begin - self.offset <= row["end_ns"] + self.error_ns
                and row["seen_from_ns"] - self.error_ns <= wait.end - self.offset)

    def judge(self, row, told):
        """Waits of one thread never overlap; two of one call differ in what they are for."""
        near = [wait for wait in told if self.meets(row, wait)]
        near.sort(key=lambda wait: waited_for(wait) != row["waited_for"])
        if not near:
            why = self.why_hidden(row)
            (self.hidden if why else self.missed).append(f"{why}: {row}" if why else str(row))
            return
        told.remove(near[0])
        same_work = (waited_for(near[0]) == row["waited_for"] or self.ended_as_late(row, waited_for(near[0]))
                     or self.is_recorded_again(row, waited_for(near[0])) or row["waited_for"] in self.overtaken
                     or row["class"] in IF_IT_WAITED and (self.ended_before_look(row, waited_for(near[0]))
                                                          or self.was_being_submitted(near[0])
                                                          or self.was_under_way(row["waited_for"], near[0], row["start_ns"])
                                                          and self.ends.get(waited_for(near[0]), 0) <= row["over_ns"] + self.error_ns))
        if same_work and (near[0].args["already_done"] == row["already_done"] or self.is_close(row)):
            self.right += 1
        else:
            self.invented.append(f"{self.text(near[0])}, truly {row}")

    def ended_as_late(self, row, told):
        """Whether `told` ended no earlier than what the truth names, and by when the wait's condition held. Where what ended last has no
        record (a host function, a stream's wait for an event), the truth names the operation before it in its stream."""
        ends = self.ends.get(told), self.ends.get(row["waited_for"])
        return None not in ends and ends[1] - self.error_ns <= ends[0] <= row["over_ns"] + self.error_ns

    def ended_before_look(self, row, told):
        """Whether `told`, or what the truth names, was over when the driver looked, and pending at the entry."""
        end = self.ends.get(told, 0)
        look = row["end_ns"] if row["op"] == "no_wait" else row["start_ns"]
        return told == row["waited_for"] or row["seen_from_ns"] - self.error_ns <= end <= look

    def was_being_submitted(self, wait):
        """Whether what `wait` is said to be for came of another thread's call that was under way at the entry, and began after it."""
        return (self.was_under_way(waited_for(wait), wait)
                and self.begins.get(waited_for(wait), 0) >= wait.begin - self.offset)

    def was_under_way(self, correlation, wait, look_ns=0):
        """Whether another thread's call with this correlation was under way when the call that waits was entered, or by the driver's look."""
        call = self.calls.get(correlation)
        if call is None or call.tid == wait.tid - WAIT_ROWS:
            return False
        return call.begin <= max(wait.begin, look_ns + self.offset) and wait.begin <= call.end

    def is_recorded_again(self, row, told):
        """Whether the spin's event was recorded again while it was asked for, and `told` ended meanwhile."""
        end = self.ends.get(told, 0)
        return row.get("ready_for", row["waited_for"]) != row["waited_for"] and row["start_ns"] <= end <= row["end_ns"]

    def is_close(self, row):
        """Whether what was waited for was over at the entry depends on whose entry is meant."""
        first = row["start_ns"] if row["class"] in EXPLICIT else row["seen_from_ns"]
        return first - self.error_ns <= row["over_ns"] <= row["start_ns"] + self.error_ns

    def why_hidden(self, row):
        """Why no rule can find this wait; empty if one can."""
        if row["class"] not in IF_IT_WAITED:
            return ""
        if row["over_ns"] <= row["start_ns"] + self.error_ns:
            return "within the error of the clocks"
        if row["class"] == "queue_full" and row["end_ns"] - row["start_ns"] < LEAST_NS:
            return "too short for a record"
        if row["class"] == "graph" and self.queued(row) < FEWEST_LAUNCHES_TO_FILL:
            return f"behind {self.queued(row)} launches only"
        call = self.calls.get(row["correlation"])
        if call is None or not (row["class"] == "graph" or row["class"] == "allocation" and ALLOCATES.match(row["call"])):
            return ""
        usual, length = self.usual.get(call.name, 0), call.end - call.begin
        before = row["over_ns"] - (call.begin - self.offset)
        if length < max(4 * usual, usual + EXCEPTION_NS):
            return f"not longer than other calls, which take {usual:.0f} ns"
        if length - before > max(before, usual, WAKE_NS):
            return f"woken {length - before:.0f} ns late"
        return ""

    def queued(self, row):
        """How many launches stood in the stream when the call was entered: submitted before, not started."""
        stream = self.streams.get(row["correlation"])
        return sum(1 for correlation, begin in self.begins.items()
                   if correlation < row["correlation"] and begin > row["seen_from_ns"] and self.streams[correlation] == stream)

    def text(self, wait):
        done = ", over already" if wait.args["already_done"] else ""
        return (f"{wait.args['class']} of {wait.args['call']} for {waited_for(wait)}{done}, thread {wait.tid - WAIT_ROWS}, "
                f"{wait.begin - self.offset:.0f} to {wait.end - self.offset:.0f}")


def waited_for(wait):
    return (wait.args["waited_for"] or FIRST_CORRELATION) - FIRST_CORRELATION
