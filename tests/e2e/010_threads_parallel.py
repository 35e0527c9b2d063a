# SPDX-License-Identifier: Apache-2.0
"""Threads that record at once each have their own row, under their own name."""

LABELS = ("thin", "sanitized")


def test(t):
    trace = t.record([t.victim("threads"), "parallel", "8", "2000"]).trace()
    for i in range(8):
        [outer] = trace.ranges(name=f"thread {i}")
        inner = trace.ranges(name="round", tid=outer.tid)
        t.equal(len(inner), 2000, "rounds")
        t.check(
            all(outer.begin <= r.begin and r.end <= outer.end for r in inner),
            "a round is outside its thread's range",
        )
        t.check(
            f"thread {i}" in trace.thread_names()[outer.pid, outer.tid], f"{trace.thread_names()}"
        )
