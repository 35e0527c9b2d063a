# SPDX-License-Identifier: Apache-2.0
"""view serves a part of a trace: what lies in it or reaches into it, with the names of all rows."""

import gzip
import json
import os
import re
import urllib.request

MODES = ("launcher",)


def test(t):
    recording = t.record([t.victim("counters")])
    whole = recording.trace().events
    with open(os.path.join(recording.directory, "run", "rank-0.json")) as file:
        run = json.load(file)
    slices = sorted((event for event in whole if event["ph"] == "X"), key=lambda event: event["ts"])
    middle = slices[len(slices) // 2]["ts"]
    begin_us = (run["begin_ns"] - run["base_time_ns"]) / 1000
    at_ns = int((middle - begin_us) * 1000)
    part = fetched(t, recording, ["--at", f"{at_ns}ns", "--around", "20us"])
    told = [event for event in whole if event["ph"] == "M" or meets(event, middle - 10, middle + 10)]
    t.check(len(told) < len(whole), "the whole is a part")
    # The moment is cut to nanoseconds.
    t.check(abs(len(part) - len(told)) <= 2, f"{len(part)} events of {len(told)}")
    t.check(any(event["ph"] == "X" and event["ts"] == middle for event in part), "the moment's own range")
    t.equal(len(fetched(t, recording, ["--last", "1000s"])), len(whole), "all of it")
    for wrong, message in ((["--last", "x"], "is no time"), (["--around", "1s"], "needs --at"), (["--last", "1s", "--all"], "are of one rank")):
        refused = t.run([t.syncline, "view", "--no-open", *wrong, recording.directory])
        t.equal(refused.status, 125, f"{refused}")
        t.said(refused, message)


def meets(event, begin, end):
    return event["ts"] <= end and event["ts"] + event.get("dur", 0) >= begin


def fetched(t, recording, options):
    started = t.start([t.syncline, "view", "--no-open", *options, recording.directory])
    address = t.until(lambda: re.search(r"127\.0\.0\.1:\d+/[^\s&\"']+", said(started)), "an address is printed").group(0)
    body = urllib.request.urlopen(f"http://{address}", timeout=10).read()
    started.wait(10)
    return json.loads(gzip.decompress(body))["traceEvents"]


def said(started):
    out, err = started.output()
    return (out + err).decode(errors="replace")
