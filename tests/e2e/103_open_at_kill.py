# SPDX-License-Identifier: Apache-2.0
"""Ranges open at the kill are closed at the end and marked so; those of each thread on its own
row."""

import kills

LABELS = ("kill", "endings")


def test(t):
    victim = kills.Numbered(t, 400000, 20000)
    directory = t.new_directory()
    started = t.start(t.launch(victim.command, (), directory), t.mode_environment())
    pid = victim.wait_for_pid(t)
    t.until(lambda: min(victim.head()[3:]) > 100, "both threads made ranges")
    kills.kill(pid)
    trace = t.finish(started.wait(), directory, killed=True).trace()
    for thread in (0, 1):
        [r] = trace.ranges(name=f"all of thread {thread}")
        t.check(
            "closed" in str(r.args).lower() or "unfinished" in str(r.args).lower(),
            f"not marked: {r}",
        )
        within = trace.paths(tid=r.tid)[1:]
        t.check(len(within) > 100, f"of 20 us each, in what ran after 100 were seen: {len(within)}")
        t.check(all(p.startswith(f"all of thread {thread} > ") for p in within), "not nested")
        t.check(r.end >= max(e.end for e in trace.ranges(tid=r.tid)), f"ends too early: {r}")
