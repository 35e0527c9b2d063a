# SPDX-License-Identifier: Apache-2.0
"""The C++ interface, and a shared library with a client copy of its own that records in a static
initialiser."""

LABELS = ("sanitized",)


def test(t):
    trace = t.transparent([t.victim("nvtx_cpp")]).trace()
    t.counted(
        trace.names(),
        {
            "library static initialiser": 1,
            "program static initialiser": 1,
            "whole program": 1,
            "Step": 3,
            "registered step": 3,
            "user_work": 3,
            "in a thread": 1,
        },
    )
    t.counted([m.name for m in trace.marks()], {"in user_work": 3, "end": 1})
    t.counted(trace.paths(), {"Step > registered step > user_work": 3})
    steps = [r for r in trace.ranges(name="registered step")]
    t.equal(
        [(r.args["domain"], r.args["category"], r.args["payload"]) for r in steps],
        [("solver", "io", i) for i in range(3)],
    )
    t.equal({r.args["domain"] for r in trace.ranges(name="user_work")}, {"library"})
