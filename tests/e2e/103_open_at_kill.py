# SPDX-License-Identifier: Apache-2.0
"""Ranges open at the kill are closed at the end and marked so; those of each thread on its own
row."""

import time

import kills

LABELS = ("kill", "endings")


def test(t):
    victim = kills.Numbered(t, 400000, 20000)
    directory = t.new_directory()
    started = t.start(t.launch(victim.command, (), directory), t.mode_environment())
    pid = victim.wait_for_pid(t)
    time.sleep(0.2)
    kills.kill(pid)
    trace = t.finish(started.wait(), directory, killed=True).trace()
    for thread in (0, 1):
        [r] = trace.ranges(name=f"all of thread {thread}")
        t.check(
            "closed" in str(r.args).lower() or "unfinished" in str(r.args).lower(),
            f"not marked: {r}",
        )
        t.check(r.end - r.begin > 150e6, f"{r}")
        t.check(
            all(p.startswith(f"all of thread {thread} > ") for p in trace.paths(tid=r.tid)[1:]),
            "not nested",
        )
