# SPDX-License-Identifier: Apache-2.0
"""What PyTorch ran, as traces of Syncline and of torch.profiler tell it: for each thread its operators and named ranges in order, each with
how deep it stands in them."""

import json
from collections import defaultdict

CATEGORIES = ("cpu_op", "user_annotation")
OURS = "autograd.backward"  # a range that torch.profiler does not have
INPUTS = ("Concrete Inputs", "Input type", "Input Strides", "Input Dims", "Sequence number", "Fwd thread id")


def of_trace(trace, around=None, inputs=False):
    """{(pid, tid): [(depth, category, name), ...]}. `around`: only what begins while a range of this name is open in any thread. `inputs`:
    the names of operators have with them what these were called with."""
    if inputs:
        return nested([(r.pid, r.tid, r.begin, r.end, r.cat, with_inputs(r.event)) for r in both(trace)], around)
    return nested(slices_of(trace), around)


def with_inputs(event):
    if event["cat"] != "cpu_op":
        return event["name"]
    return json.dumps([event["name"], {key: event["args"][key] for key in INPUTS if key in event["args"]}])


def slices_of(trace):
    return [(r.pid, r.tid, r.begin, r.end, r.cat, r.name) for r in both(trace)]


def both(trace):
    return [r for r in (*trace.operators(), *trace.ranges()) if r.name != OURS]


def of_profiler(path, around=None, inputs=False):
    """The same of torch.profiler's file."""
    with open(path) as file:
        events = [e for e in json.load(file)["traceEvents"] if e["ph"] == "X" and e.get("cat") in CATEGORIES]
    found = [(e["pid"], e["tid"], *times(e), e["cat"], with_inputs(e) if inputs else e["name"]) for e in events if not e["name"].startswith("PyTorch Profiler")]
    return nested(found, around)


def times(event):
    begin = round(event["ts"] * 1000)
    return begin, begin + round(event["dur"] * 1000)


def nested(slices, around):
    if around is not None:
        [(first, last)] = [(begin, end) for _, _, begin, end, _, name in slices if name == around]
        slices = [s for s in slices if first <= s[2] <= last]
    threads, open_ends = defaultdict(list), defaultdict(list)
    for pid, tid, begin, end, category, name in sorted(slices, key=lambda s: (s[2], -s[3])):
        ends = open_ends[pid, tid]
        while ends and ends[-1] <= begin:
            ends.pop()
        threads[pid, tid].append((len(ends), category, name))
        ends.append(end)
    return dict(threads)


def sorted_lists(threads):
    """To compare threads whose numbers differ."""
    return sorted(threads.values())


def first_difference(one, other):
    """For messages: where two lists part."""
    at = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
    return f"from event {at} on: {one[at : at + 3]} and {other[at : at + 3]} of {len(one)} and {len(other)}"
