# SPDX-License-Identifier: Apache-2.0
"""A C program's ranges are in the trace with name, nesting and thread, and its output is its
own."""

LABELS = ("thin", "sanitized")


def test(t):
    trace = t.transparent([t.victim("exec_chain"), "0"]).trace()
    t.equal(trace.paths(), ["closed 0"])
    trace = t.transparent([t.victim("deep"), "3"]).trace()
    t.equal(
        trace.paths(), ["level 0", "level 0 > level 1", "level 0 > level 1 > level 2", "afterwards"]
    )
    t.equal({(r.pid, r.tid) for r in trace.ranges()}, {(trace.ranges()[0].pid,) * 2}, "rows")
