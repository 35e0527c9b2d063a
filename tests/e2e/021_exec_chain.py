# SPDX-License-Identifier: Apache-2.0
"""Five programs in one pid, each replaced by exec: the ranges of all are there, and no row
crosses."""

LABELS = ("thin", "endings")


def test(t):
    trace = t.transparent([t.victim("exec_chain"), "5"]).trace()
    t.equal(
        sorted(trace.names()),
        sorted([f"closed {i}" for i in range(6)] + [f"open {i}" for i in range(1, 6)]),
    )
    ends = {r.name: r.end for r in trace.ranges()}
    begins = {r.name: r.begin for r in trace.ranges()}
    for i in range(1, 6):
        t.check(
            ends[f"open {i}"] <= begins[f"closed {i - 1}"],
            f"a range outlives its program: {trace.ranges()}",
        )
