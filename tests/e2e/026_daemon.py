# SPDX-License-Identifier: Apache-2.0
"""A daemon outlives the launcher: the launcher does not wait, names it, and all that it records then
is recovered afterwards. What is open at its exit is there once, also if its exit handler ends it."""

import glob
import os

import chrome_trace
import processes
import trace_check

LABELS = ("daemon",)  # not "endings": only the exit hook can drain what nobody else drains


def test(t):
    go, file = t.path("go"), t.path("ranges")
    # The daemon goes on until it is told: a launcher that waited for it would not end.
    recording = t.record([t.victim("daemonise"), go, file], leaves=True, complete=False)
    t.equal(recording.ending, "status 0")
    t.said(recording, "still running", "daemonise")
    said = recording.said
    t.check(not os.path.exists(file), "the daemon did not outlive the launcher")
    open(go, "w").close()
    t.equal(processes.left_behind(60), [], "the daemon still runs")
    t.recover(recording)
    recording = t.finish(recording, recording.directory)
    names = recording.trace().names()
    ends = {}
    for late in glob.glob(os.path.join(recording.directory, "run", "rank-0-late-*.trace.json.gz")):
        t.equal(trace_check.check_trace(late), [], "the late trace")
        trace = chrome_trace.load(late)
        names += trace.names()
        ends.update({r.name: r.args.get("closed_by") for r in trace.ranges()})
        t.equal(trace.document["metadata"]["losses"], {}, "losses")
    t.counted(names, {"before daemon": 1, "never ended": 1, "ended by the exit handler": 1})
    t.equal((ends.get("never ended"), ends.get("ended by the exit handler", "lost")), ("syncline", None), "who ended what was open")
    daemon = [name for name in names if name.startswith("daemon ")]
    t.equal(len(set(daemon)), len(daemon), "a range twice")
    t.equal(len(daemon), int(t.text("ranges")), "ranges of the daemon")
