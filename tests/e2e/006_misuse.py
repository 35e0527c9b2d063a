# SPDX-License-Identifier: Apache-2.0
"""Pops without a push, unknown ends, null names: nothing breaks, it is counted, and what is right
is recorded."""

LABELS = ("sanitized",)


def test(t):
    recording = t.transparent([t.victim("misuse")])
    trace = recording.trace()
    t.counted(
        trace.names(), {"good": 1, "popped elsewhere": 1, "open at exit": 1, "never ended": 1}
    )
    t.equal(recording.losses().get("unbalanced_pop"), 4, "unbalanced pops")
    end = max(r.end for r in trace.slices())
    for name in ("open at exit", "never ended"):
        r = trace.ranges(name=name)[0]
        t.check(
            "closed" in str(r.args).lower() or "unfinished" in str(r.args).lower(),
            f"not marked: {r}",
        )
        t.check(end - r.end < 50e6, f"not closed at exit: {r}")
