# SPDX-License-Identifier: Apache-2.0
"""--time-unit us writes whole microseconds."""

LABELS = ("sanitized",)


def test(t):
    trace = t.record([t.victim("deep"), "50"], options=["--time-unit", "us"]).trace()
    t.check(
        all(type(e["ts"]) is int for e in trace.events if e["ph"] == "X"), "a time has a fraction"
    )
    t.equal(len(trace.ranges()), 51, "ranges")
