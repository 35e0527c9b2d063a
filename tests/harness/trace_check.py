# SPDX-License-Identifier: Apache-2.0
"""Holds a trace, and the directory of a run, to the schema: a list of what is wrong, empty if
nothing is.

trace_check.py DIR|TRACE...     prints each fault; exit status 1 if there is one
"""

import bisect
import json
import os
import pathlib
import re
import sys
from collections import defaultdict

import findings_check
from chrome_trace import (
    CALL_CATS,
    COMPILE_CAT,
    DEVICE_CATS,
    GPU_RANGE_CAT,
    IDLE_CAT,
    MODULE_CAT,
    OPERATOR_CAT,
    OUTSIDE_CAT,
    OVERHEAD_CAT,
    SOURCES,
    WAIT_CAT,
    BadTrace,
    load,
    nanoseconds,
)

TOP = [
    "schemaVersion",
    "deviceProperties",
    "cupti_version",
    "cuda_runtime_version",
    "cuda_driver_version",
    "distributedInfo",
    "trace_id",
    "host_name",
    "metadata",
    "displayTimeUnit",
    "baseTimeNanoseconds",
    "traceEvents",
    "stackFrames",
    "traceName",
]
REQUIRED = [
    "schemaVersion",
    "distributedInfo",
    "displayTimeUnit",
    "baseTimeNanoseconds",
    "traceEvents",
    "traceName",
]
KEYS = {
    "X": ["ph", "cat", "name", "pid", "tid", "ts", "dur", "args"],
    "M": ["ph", "name", "pid", "tid", "ts", "args"],
    "C": ["ph", "name", "pid", "tid", "ts", "args"],
    "i": ["ph", "s", "cat", "name", "pid", "tid", "ts", "args"],
    "s": ["ph", "id", "pid", "tid", "ts", "cat", "name"],
    "f": ["ph", "id", "pid", "tid", "ts", "cat", "name", "bp"],
}
OTHER_DEVICES = range(5_100_000, 5_116_000)  # of sources beside the rank's first
SYNC_CATS = {f"{source}_sync" for source in SOURCES}
SLICE_CATS = {"user_annotation", OPERATOR_CAT, MODULE_CAT, COMPILE_CAT, "process", OVERHEAD_CAT, *SYNC_CATS, WAIT_CAT, IDLE_CAT, OUTSIDE_CAT, GPU_RANGE_CAT, *CALL_CATS, *DEVICE_CATS}
# How docs/trace-format.md writes times so that all readers of doubles agree.
TIME = re.compile(r"\d{1,13}\.\d{3}2|\d{13,}\.\d{3}")
LENGTH = re.compile(r"0\.000|\d+\.\d{3}(8|51)|\d{13,}\.\d{3}")
FIRST_CORRELATION = 65536  # smaller ones make Holistic Trace Analysis fail
MOST_FAULTS = 20
MOST_NS = 2**53  # 104 days: beyond, doubles of microseconds do not hold nanoseconds


class Check:
    """Collects the faults of one trace."""

    def __init__(self, trace):
        self.trace, self.faults = trace, []
        self.waits_begun, self.waits_seen, self.of_rows = {}, set(), {}

    def expect(self, good, fault):
        if not good and len(self.faults) < MOST_FAULTS:
            self.faults.append(f"{os.path.basename(self.trace.path)}: {fault}")
        return good

    def run(self):
        self.header()
        self.times()
        self.rows()
        self.correlations()
        self.nesting()
        return self.faults

    def header(self):
        document, text = self.trace.document, self.trace.text
        keys = list(document)
        self.expect(
            set(REQUIRED) <= set(keys), f"keys {sorted(set(REQUIRED) - set(keys))} are missing"
        )
        self.expect(set(keys) <= set(TOP), f"keys {sorted(set(keys) - set(TOP))} are unknown")
        self.expect(keys == [k for k in TOP if k in keys], f"keys are in the wrong order: {keys}")
        info = document.get("distributedInfo", {})
        self.expect(
            type(info.get("rank")) is int and type(info.get("world_size")) is int,
            f"distributedInfo {info}",
        )
        first = re.search(
            r'"rank":\s+(\d+)', text
        )  # what Holistic Trace Analysis takes for the rank
        self.expect(
            first and int(first.group(1)) == info.get("rank"),
            'the first "rank" in the file is not its rank',
        )
        name = re.match(r"rank-(\d+)\.trace\.json", os.path.basename(self.trace.path))
        self.expect(
            name is None or int(name.group(1)) == info.get("rank"),
            f"the file's name is not of rank {info.get('rank')}",
        )
        base = document.get("baseTimeNanoseconds")
        self.expect(type(base) is int and base > 0, f"baseTimeNanoseconds is {base!r}")
        self.expect(document.get("schemaVersion") == 1, "schemaVersion is not 1")
        traced = os.path.basename(self.trace.path)
        self.expect(
            document.get("traceName") in (traced, traced.removesuffix(".gz")),
            f"traceName {document.get('traceName')!r}",
        )
        try:
            text.encode("utf-8")
            for event in self.trace.events:
                event["name"].encode("utf-8")
        except (UnicodeEncodeError, KeyError, AttributeError) as error:
            self.expect(False, f"a name is missing, no string, or holds a lone surrogate: {error}")

    def times(self):
        kinds, frames = set(), self.trace.document.get("stackFrames", {})
        metadata_over = False
        slices = 0
        for event, (begin, duration) in zip(self.trace.events, self.trace.times):
            phase = event["ph"]
            if phase == "M":
                self.expect(not metadata_over, f"an M event after others: {event}")
            else:
                metadata_over = True
                kinds.add("." in begin)
                if duration:
                    kinds.add("." in duration)
            wanted = KEYS.get(phase)
            if "sf" in event and phase == "X":
                wanted = [*wanted, "sf"]
                self.expect(str(event["sf"]) in frames and "stack" in event["args"], f"no such stack: {event}")
            if wanted:
                if list(event) != wanted:
                    self.expect(False, f"keys of {phase} event are {list(event)}, not {wanted}")
            else:
                self.expect(False, f"ph {phase!r} is not in the schema")
            if phase == "X":
                slices += 1
                if event["cat"] not in SLICE_CATS:
                    self.expect(False, f"cat {event['cat']!r} of {event['name']!r}")
            for text in (begin, duration):
                try:
                    if text and nanoseconds(text) >= MOST_NS:
                        self.expect(False, f"a time is more than 104 days: {event}")
                except BadTrace as error:
                    self.expect(False, str(error))
            if phase != "M" and "." in begin:
                if not TIME.fullmatch(begin):
                    self.expect(False, f"ts {begin} is not written for readers of doubles")
                if duration and not LENGTH.fullmatch(duration):
                    self.expect(False, f"dur {duration} is not written for readers of doubles")
        self.expect(len(kinds) <= 1, "both whole and fractional times")
        self.expect(slices, "no slice at all: Holistic Trace Analysis cannot load it")
        args = any(isinstance(e.get("args"), dict) for e in self.trace.events)
        self.expect(args, "no event has args")

    def rows(self):
        named_processes, named_threads, used = set(), set(), set()
        for event in self.trace.events:
            pid, tid = event.get("pid"), event.get("tid")
            if type(pid) is not int or type(tid) is not int:
                self.expect(False, f"pid or tid is no integer: {event}")
                continue
            of_stream = event.get("cat") in (*SYNC_CATS, *DEVICE_CATS)
            device = of_stream or event.get("cat") in (IDLE_CAT, OUTSIDE_CAT, GPU_RANGE_CAT)
            if not (0 <= pid < 2**31 and 0 <= tid < 2**32):
                self.expect(False, f"pid {pid} or tid {tid} is out of range")
            if event["ph"] == "M":
                args = event["args"]
                named_processes |= (
                    {pid} if event["name"] == "process_name" and args.get("name") else set()
                )
                named_threads |= (
                    {(pid, tid)} if event["name"] == "thread_name" and args.get("name") else set()
                )
            elif event["ph"] in "Xi":
                if (pid < 256 or pid in OTHER_DEVICES) != device:
                    self.expect(False, f"pid {pid} collides with device numbers, or is none: {event}")
                if tid == 0:
                    self.expect(False, f"tid 0 holds {event['name']!r}")
                if ("stream" in event.get("args", {})) != of_stream:
                    self.expect(False, f"only what a GPU did has a stream: {event}")
                used.add((pid, tid))
        for pid, tid in sorted(used):
            self.expect(pid in named_processes, f"process {pid} has no name")
            self.expect((pid, tid) in named_threads, f"thread {pid}/{tid} has no name")

    def correlations(self):
        """One call for each correlation, and flows that begin and end with slices; those to waits within them."""
        callers, begins, ends = set(), {}, []
        starts = defaultdict(set)
        for event, (begin, _) in zip(self.trace.events, self.trace.times):
            at = event.get("pid"), event.get("tid"), begin
            if event["ph"] == "X":
                starts[at].add(event["cat"])
                correlation = event["args"].get("correlation")
                if correlation is None:
                    if event["cat"] in DEVICE_CATS:
                        self.expect(False, f"no correlation: {event}")
                    continue
                if correlation < FIRST_CORRELATION:
                    self.expect(False, f"a small correlation: {event}")
                if event["cat"] in CALL_CATS:
                    if correlation in callers:
                        self.expect(False, f"two calls have a correlation: {event}")
                    callers.add(correlation)
            elif event.get("cat") == "wait":
                self.wait_flow(event, begin)
            elif event["ph"] == "s":
                self.expect(event["id"] not in begins, f"a flow begins twice: {event}")
                begins[event["id"]] = at
            elif event["ph"] == "f":
                ends.append((event["id"], at))
        for identity, at in begins.items():
            self.expect(starts[at] & set(CALL_CATS), f"flow {identity} begins at no call: {at}")
        for identity, at in ends:
            self.expect(identity in begins, f"flow {identity} ends without a begin")
            self.expect(starts[at] & set(DEVICE_CATS), f"flow {identity} ends at no GPU slice: {at}")
        self.expect(set(begins) == {identity for identity, _ in ends}, "a flow has no end")
        self.expect(not self.waits_begun, f"flows to no wait: {self.waits_begun}")

    def wait_flow(self, event, begin):
        """From within an operation to within a wait; both halves stand together."""
        at = nanoseconds(begin)
        cats = DEVICE_CATS if event["ph"] == "s" else (WAIT_CAT,)
        begins, latest_ends = self.slices_of(event["pid"], event["tid"], cats)
        before = bisect.bisect_right(begins, at)
        if not before or latest_ends[before - 1] <= at:
            self.expect(False, f"not within one of {cats}: {event}")
        if event["ph"] == "s":
            self.expect(event["id"] not in self.waits_seen, f"a flow begins twice: {event}")
            self.waits_seen.add(event["id"])
            self.waits_begun[event["id"]] = at
        else:
            self.expect(self.waits_begun.pop(event["id"], at) < at, f"ends before it begins, or did not begin: {event}")

    def slices_of(self, pid, tid, cats):
        """The begins of a row's slices of `cats`, in order, and for each the latest end up to it."""
        if not self.of_rows:
            for r in self.trace.slices():
                for kind in (DEVICE_CATS, (WAIT_CAT,)):
                    if r.cat in kind:
                        begins, latest_ends = self.of_rows.setdefault((r.pid, r.tid, kind), ([], []))
                        begins.append(r.begin)
                        latest_ends.append(max(r.end, latest_ends[-1] if latest_ends else 0))
        return self.of_rows.get((pid, tid, cats), ([], []))

    def nesting(self):
        """Slices of a row nest, exactly and as Perfetto reads them: it multiplies doubles, and cuts or rounds."""
        try:
            slices = self.trace.slices()
        except BadTrace:
            return  # said already
        exact, cut, rounded = defaultdict(list), defaultdict(list), defaultdict(list)
        for r in slices:
            row = r.pid, r.tid
            self.nest(exact[row], r.begin, r.end, r, "crosses")
            for rows, more in ((cut, 0), (rounded, 0.5)):
                begin = int(r.event["ts"] * 1000 + more)
                end = begin + int(r.event["dur"] * 1000 + more)
                self.nest(rows[row], begin, end, r, "crosses, for a reader that works with doubles,")

    def nest(self, stack, begin, end, r, fault):
        while stack and stack[-1][0] <= begin:
            stack.pop()
        if stack and end > stack[-1][0]:
            self.expect(False, f"{r} {fault} {stack[-1][1]}")
        stack.append((end, r))


def check_trace(path):
    """The faults of one trace file."""
    try:
        trace = load(path)
    except (BadTrace, ValueError, OSError, EOFError, KeyError) as error:
        return [f"{os.path.basename(path)}: cannot be read: {type(error).__name__}: {error}"]
    return Check(trace).run()


def check_manifest(directory, rank, path):
    """The faults of run/rank-N.json: its schema, and whether it counts what the trace holds."""
    name = f"run/rank-{rank}.json"
    try:
        with open(os.path.join(directory, name)) as file:
            manifest = json.load(file)
        trace = load(path)
        found = {
            "schema": "syncline.rank/1",
            "rank": trace.rank,
            "ranges": len(trace.ranges()) + len(trace.operators()) + len(trace.modules()),
            "marks": len(trace.marks()),
            "calls": len(trace.calls()),
            "device_ops": len(trace.device_ops()),
            "trace": os.path.basename(path),
        }
        wrong = {key: value for key, value in found.items() if manifest.get(key) != value}
        return [f"{name}: says {key} {manifest.get(key)!r}, not {wrong[key]!r}" for key in wrong]
    except (BadTrace, ValueError, OSError, EOFError, KeyError) as error:
        return [f"{name}: {type(error).__name__}: {error}"]


def check_directory(directory, complete=True):
    """The faults of a run's directory: every trace of it, and whatever should not stand there."""
    faults, ranks = [], []
    for name in sorted(os.listdir(directory)):
        path = os.path.join(directory, name)
        match = re.fullmatch(r"rank-(\d+)\.trace\.json(\.gz)?", name)
        if match:
            faults += check_trace(path)
            ranks.append(match.group(1))
            if complete:
                faults += check_manifest(directory, match.group(1), path)
                faults += findings_check.check_rank(directory, match.group(1), load(path))
        elif re.fullmatch(r"job-\d+", name) and os.path.isdir(path):
            faults += check_directory(path, complete)
        elif name.endswith((".json", ".gz")):
            faults.append(f"{name}: readers take it for a rank")
        elif name in ("cycles", "steps"):  # --split: parts, each a trace
            parts = sorted(pathlib.Path(path).glob("*/*"))
            faults += [f"{part}: no part of a trace" for part in parts if not re.fullmatch(r"rank-\d+\.trace\.json\.gz", part.name)]
        elif name not in ("run", "report"):
            faults.append(f"{name}: left behind")
    if len(set(ranks)) != len(ranks):
        faults.append(f"a rank has two files: {ranks}")
    return faults


def main(paths):
    faults = []
    for path in paths:
        faults += check_directory(path) if os.path.isdir(path) else check_trace(path)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
