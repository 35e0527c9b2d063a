# SPDX-License-Identifier: Apache-2.0
"""Reads a Chrome trace of Syncline exactly: times as whole nanoseconds, ranges, rows, nesting."""

import functools
import gzip
import json
import os
import re

PROCESS_ROW = 2**23  # the row with a process's life: this much above its pid
SOURCES = ("cuda", "xpu", "mu")  # with devices, also those that only tests have
CALL_CATS = (*(f"{source}_{api}" for source in SOURCES for api in ("runtime", "driver")), "message", "tick")
DEVICE_CATS = ("kernel", "gpu_memcpy", "gpu_memset")
SYNC_CAT = "cuda_sync"  # a GPU's row too, but no work
OVERHEAD_CAT = "overhead"
WAIT_CAT = "sync_wait"  # what a thread waited for, on a row of its own
OUTSIDE_CAT = "gpu_outside"  # work that was launched while nothing was recorded
IDLE_CAT = "gpu_idle"  # gaps, on a GPU's row without a stream
GPU_RANGE_CAT = "gpu_user_annotation"  # a range on the row of a stream that worked for it, without a stream
OPERATOR_CAT = "cpu_op"  # a framework's, with --torch ops
MODULE_CAT = "module"  # of a model, with --torch modules
COMPILE_CAT = "compile"  # what a framework's compiler did, on a row of its own, with --torch-compile
THOROUGH = 20000  # events up to which keys that stand twice are looked for
# A time in a line. Within a string the quotes would be escaped.
TIMES = re.compile(r', "ts": ([^,}]+)(?:, "dur": ([^,}]+))?, "(?:args|cat|bp)"')
# Whole microseconds, or nanoseconds that are written a little late (`ts`) or short (`dur`): docs/trace-format.md.
MICROSECONDS = re.compile(r"(\d+)(?:\.(\d{3})(|2|8|51))?")


class BadTrace(Exception):
    """The file is not what docs/trace-format.md promises."""


@functools.lru_cache(maxsize=65536)
def nanoseconds(text):
    """What `ts` and `dur` mean exactly, from their text."""
    match = MICROSECONDS.fullmatch(text)
    if not match:
        raise BadTrace(f"time {text} is not microseconds as docs/trace-format.md has them")
    return int(match.group(1)) * 1000 + int(match.group(2) or 0) + (match.group(3) in ("8", "51"))


def _unique(pairs):
    result = dict(pairs)
    if len(result) != len(pairs):
        raise BadTrace(f"a key stands twice in {pairs}")
    return result


def _constant(text):
    raise BadTrace(f"{text} is not JSON (RFC 8259)")


class Range:
    """A slice (ph X) or an instant (ph i; begin == end). Times in nanoseconds after the base."""

    __slots__ = ("event", "name", "cat", "pid", "tid", "begin", "end")

    def __init__(self, event, begin, end):
        self.event, self.begin, self.end = event, begin, end
        self.name, self.cat = event["name"], event["cat"]
        self.pid, self.tid = event["pid"], event["tid"]

    @property
    def args(self):
        return self.event.get("args", {})

    def __repr__(self):
        return f"{self.name!r} {self.pid}/{self.tid} {self.begin}..{self.end} {self.args}"


class Trace:
    """One rank's trace. `text` is the JSON as it stands, `document` the parsed object."""

    def __init__(self, path):
        self.path = str(path)
        with open(path, "rb") as file:
            data = file.read()
        if self.path.endswith(".gz"):
            data = gzip.decompress(data)
        self.text = data.decode("utf-8")  # strict: RFC 8259 wants UTF-8
        thorough = self.text.count("\n") < THOROUGH
        self.document = json.loads(
            self.text, parse_constant=_constant, object_pairs_hook=_unique if thorough else None
        )
        self.events = self.document["traceEvents"]
        self.times = self._times()
        self._sorted = {}

    def _times(self):
        """Texts of `ts` and `dur` (or None) of each event, in the order of the file."""
        lines = [line for line in self.text.split("\n") if line.startswith('{"ph": ')]
        if len(lines) != len(self.events):
            raise BadTrace(f"{len(self.events)} events on {len(lines)} lines of their own")
        found = [TIMES.search(line) for line in lines]
        for line, match in zip(lines, found):
            if match is None:
                raise BadTrace(f"no time, or keys in another order: {line}")
        return [match.groups() for match in found]

    @property
    def rank(self):
        return self.document["distributedInfo"]["rank"]

    @property
    def metadata(self):
        return self.document.get("metadata", {})

    def _of_phase(self, phase):
        if phase not in self._sorted:
            found = []
            for event, (begin, duration) in zip(self.events, self.times):
                if event["ph"] == phase:
                    at = nanoseconds(begin)
                    end = at + nanoseconds(duration) if duration else at
                    found.append(Range(event, at, end))
            self._sorted[phase] = sorted(found, key=lambda r: (r.begin, -r.end))
        return self._sorted[phase]

    def slices(self, **want):
        """All X events in the order of their begin, outer ones first; `want` filters by attribute
        (name=, pid=, tid=)."""
        found = self._of_phase("X")
        for key, value in want.items():
            found = [r for r in found if getattr(r, key) == value]
        return found

    def ranges(self, **want):
        """The program's own ranges: slices without processes' lives, GPU calls and GPU work, and steps that were made of ranges."""
        return [r for r in self.slices(**want) if r.cat == "user_annotation" and "step_range" not in r.args]

    def operators(self, **want):
        """What a framework ran."""
        return [r for r in self.slices(**want) if r.cat == OPERATOR_CAT]

    def modules(self, **want):
        """Calls of a model's modules."""
        return [r for r in self.slices(**want) if r.cat == MODULE_CAT]

    def calls(self, **want):
        """Calls of GPU runtimes and drivers."""
        return [r for r in self.slices(**want) if r.cat in CALL_CATS]

    def frames(self, call):
        """(category, text) of the frames of a call's stack, the innermost first."""
        found, number = [], str(call.event.get("sf", ""))
        while number:
            frame = self.document["stackFrames"][number]
            found.append((frame["category"], frame["name"]))
            number = frame.get("parent", "")
        return found

    def waits(self, **want):
        """What threads waited for."""
        return [r for r in self.slices(**want) if r.cat == WAIT_CAT]

    def arrows_to_waits(self):
        """(device's row, wait's row) of each flow to a wait, with the moments: ((pid, tid, ns), (pid, tid, ns))."""
        begins, found = {}, []
        for event, (at, _) in zip(self.events, self.times):
            if event.get("cat") == "wait" and event["ph"] in "sf":
                place = event["pid"], event["tid"], nanoseconds(at)
                if event["ph"] == "s":
                    begins[event["id"]] = place
                else:
                    found.append((begins[event["id"]], place))
        return found

    def gaps(self, **want):
        """When GPUs computed nothing."""
        return [r for r in self.slices(**want) if r.cat == IDLE_CAT]

    def gpu_ranges(self, **want):
        """Ranges as the GPUs' streams worked for them."""
        return [r for r in self.slices(**want) if r.cat == GPU_RANGE_CAT]

    def device_ops(self, **want):
        """What the GPUs did."""
        return [r for r in self.slices(**want) if r.cat in DEVICE_CATS]

    def outside(self, **want):
        """What the GPUs did for calls that a gate left out."""
        return [r for r in self.slices(**want) if r.cat == OUTSIDE_CAT]

    def marks(self):
        return [r for r in self._of_phase("i") if not is_life(r)]

    def names(self, **want):
        return [r.name for r in self.ranges(**want)]

    def process_names(self):
        return {e["pid"]: e["args"]["name"] for e in self.events if e["name"] == "process_name"}

    def thread_names(self):
        rows = [e for e in self.events if e["ph"] == "M" and e["name"] == "thread_name"]
        return {(e["pid"], e["tid"]): e["args"]["name"] for e in rows}

    def paths(self, **want):
        """Each range as "outer > inner", by containment on its row, in the order of begin."""
        stacks, result = {}, []
        for r in self.ranges(**want):
            stack = stacks.setdefault((r.pid, r.tid), [])
            while stack and stack[-1].end <= r.begin:
                stack.pop()
            stack.append(r)
            result.append(" > ".join(s.name for s in stack))
        return result


def depths(trace):
    """(index in traceEvents, number of slices around it) of each slice that lasts; of slices that look alike the first in the file
    is around the others."""
    slices = []
    for index, (event, (begin, length)) in enumerate(zip(trace.events, trace.times)):
        if event["ph"] == "X" and nanoseconds(length):
            at = nanoseconds(begin)
            slices.append((event["pid"], event["tid"], at, -(at + nanoseconds(length)), index))
    row, ends = None, []
    for pid, tid, begin, end, index in sorted(slices):
        if (pid, tid) != row:
            row, ends = (pid, tid), []
        while ends and ends[-1] <= begin:
            ends.pop()
        yield index, len(ends)
        ends.append(-end)


def busy_with_launched(trace, region):
    """For how long devices worked on what calls within the region launched, on its thread; of one device."""
    calls = {call.args["correlation"] for call in trace.calls() if call.tid == region.tid and region.begin <= call.begin and call.end <= region.end}
    total = until = 0
    for op in sorted((op for op in trace.device_ops() if op.args["correlation"] in calls), key=lambda op: op.begin):
        total += max(0, op.end - max(op.begin, until))
        until = max(until, op.end)
    return total


def first_circles(trace):
    """Of each row, (pid, tid), the first moment where a slice has no length, another seems to end and a third begins. HTA orders the
    three in a circle: the second before the third, the third before the first, the first before the second. From there on HTA may
    put slices of the row into one that has ended."""
    points, begins, ends = set(), set(), set()
    for event in trace.events:
        if event["ph"] == "X":
            row, at, length = (event["pid"], event["tid"]), event["ts"], event["dur"]
            (begins if length else points).add((row, at))
            if length:
                ends.add((row, at + length))
    first = {}
    for row, at in points & begins & ends:
        first[row] = min(at, first.get(row, at))
    return first


def is_life(r):
    """Whether Syncline wrote this event on its own account: those on a process's own row."""
    return r.tid == r.pid % 2**22 + PROCESS_ROW


_loaded = {}


def load(path):
    """The trace at `path`; read once, unless the file was replaced."""
    info = os.stat(path)
    key = (str(path), info.st_mtime_ns, info.st_ino)
    if key not in _loaded:
        while len(_loaded) >= 4:
            del _loaded[next(iter(_loaded))]
        _loaded[key] = Trace(path)
    return _loaded[key]
