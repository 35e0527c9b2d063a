# SPDX-License-Identifier: Apache-2.0
"""Times count from an hour before the job, from Kineto's grid, or from what is inherited; rapid ranges nest at every distance
from that base, and what lies before the base is told."""

import time

KINETO_NS = 7889238 * 10**9


def test(t):
    def record(options=(), env=None, **how):
        recording = t.record([t.victim("fast"), "3000", "2"], options, env=env, **how)
        trace, manifest = recording.trace(), recording.manifest()
        t.equal(len(trace.ranges()) + sum(recording.losses().values()), 6000, f"{recording}")
        t.equal(trace.metadata["base_time_from"], manifest["base_time_from"])
        t.equal(trace.document["baseTimeNanoseconds"], manifest["base_time_ns"])
        first = min(r.begin for r in trace.ranges())
        return recording, manifest["base_time_from"], manifest["base_time_ns"], first

    _, source, base, first = record()
    t.equal((source, base % 10**9), ("job", 0))
    t.check(3600e9 <= first < 3660e9, f"the first range is at {first} ns")
    _, source, base, first = record(["--base-time", "kineto"])
    t.equal((source, base), ("kineto", (base + first) // KINETO_NS * KINETO_NS))
    for distance in (2**41, 2**42, 2**43):
        inherited = time.time_ns() - distance * 1000
        _, source, base, first = record(env={"SYNCLINE_BASE_TIME_NS": inherited})
        t.equal((source, base), ("inherited", inherited))
        t.check(distance * 1000 <= first < distance * 1000 + 60e9, f"{distance}: {first}")
    recording, source, base, first = record(env={"SYNCLINE_BASE_TIME_NS": time.time_ns() + 10**13})
    t.equal(source, "rank")
    t.check(3600e9 <= first < 3660e9, f"the first range is at {first} ns")
    if t.mode == "launcher":
        t.said(recording, "before the base")
