# SPDX-License-Identifier: Apache-2.0
"""A call of a coroutine is one range across its awaits: begins and ends of all calls, in order, are those that the program notes itself,
for eight requests at once on one thread, exceptions, calls that are cancelled, closed, collected, that go from thread to thread or are open at the end."""

import json
import os

import interpreters
from syncline_test import ROOT

LABELS = ("python",)
TIMEOUT = 300
PROGRAM = os.path.join(ROOT, "tests", "python_programs", "awaited_calls.py")
DOMAIN = "py.call"


def test(t):
    for version, python in interpreters.found(t):
        if t.mode == "process" and version not in ("3.11", "3.13"):
            continue
        where = t.path(f"truth-{version}")
        recording = t.transparent([python, "-W", "ignore", PROGRAM, where], ["--python-ranges", "__main__.*do_*"])
        compare(t, recording, json.load(open(where)), f"Python {version}")


def compare(t, recording, notes, what):
    t.equal(recording.losses(), {}, what)
    trace = recording.trace()
    calls = [r for r in trace.ranges() if r.args["domain"] == DOMAIN]
    parent = [r for r in calls if r.pid == calls[0].pid]
    t.equal(len(calls) - len(parent), 1, f"{what}: calls of the fork's child")
    begun = sum(note[0] == "+" for note in notes)
    t.equal(len(parent), begun, f"{what}: calls")
    moments, counts = [], {}
    for r in parent:  # in the order of their begins
        counts[r.name] = counts.get(r.name, 0) + 1
        call = f"{r.name.removeprefix('__main__.')} {counts[r.name]}"
        moments.append((r.begin, "+" + call))
        if "reason" not in r.args:
            moments.append((r.end, "-" + call))
    t.equal([sign for _, sign in sorted(moments)], notes, f"{what}: begins and ends")
    t.equal(sum("reason" in r.args for r in parent), 3, f"{what}: open at the end")
    # The thread's own row has the stretches, which end at each await.
    stretches = [r for r in trace.ranges() if r.args["domain"] == "py" and r.pid == parent[0].pid]
    t.check(len(stretches) > begun, f"{what}: {len(stretches)} stretches, {begun} calls")
    t.equal([r.args["domain"] for r in trace.ranges() if r.name == "__main__.do_plain_generator"], ["py", "py"], what)
