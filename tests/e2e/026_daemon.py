# SPDX-License-Identifier: Apache-2.0
"""A daemon outlives the launcher: the launcher does not wait, names it, and what it records then is
recovered afterwards."""

import glob
import os
import time

import chrome_trace
import trace_check

LABELS = ("daemon",)  # not "endings": only the exit hook can tell what nobody drained


def test(t):
    begin = time.monotonic()
    recording = t.record(
        [t.victim("daemonise"), "3000", t.path("done")], leaves=True, complete=False
    )
    t.check(time.monotonic() - begin < 2.5, "the launcher waited for the daemon")
    t.equal(recording.ending, "status 0")
    t.said(recording, "still running", "daemonise")
    said = recording.said
    t.until(lambda: os.path.exists(t.path("done")), "the daemon is done")
    time.sleep(0.2)
    t.recover(recording)
    recording = t.finish(recording, recording.directory)
    names = recording.trace().names()
    lost = 0
    for late in glob.glob(os.path.join(recording.directory, "run", "rank-0-late-*.trace.json.gz")):
        t.equal(trace_check.check_trace(late), [], "the late trace")
        trace = chrome_trace.load(late)
        names += trace.names()
        lost += trace.document["metadata"]["losses"].get("consumer_gone", 0)
    t.counted(names, {"before daemon": 1})
    # What the rings held when the launcher ended and the process had not noticed is lost, and told.
    daemon = [name for name in names if name.startswith("daemon ")]
    t.equal(len(set(daemon)), len(daemon), "a range twice")
    t.equal(len(daemon) + lost, 300, f"recorded and {lost} lost")
