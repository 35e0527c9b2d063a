# SPDX-License-Identifier: Apache-2.0
"""--delay and --duration: one window, which neither begins nor ends too early, and all that began in it."""

LABELS = ("sanitized",)
WAITS = True
MS = 1_000_000
CLOCK_TICK_NS = 10 * MS  # the kernel tells a process's begin so exactly


def test(t):
    whole = t.record([t.victim("stages"), "for", "100"], ["--duration", "100s"]).manifest()
    t.equal((whole["not_recorded"]["ranges"], whole["processes"][0]["gate"]["windows"]), (0, 1), "a duration that is longer than the program")
    for delay, duration in ((300, None), (None, 300), (200, 300)):
        options = [word for name, ms in (("--delay", delay), ("--duration", duration)) if ms for word in (name, f"{ms}ms")]
        recording = t.record([t.victim("stages"), "for", "2000"], options)
        trace, manifest = recording.trace(), recording.manifest()
        numbers = sorted(int(name.split()[1]) for name in trace.names())
        total = manifest["ranges"] + manifest["not_recorded"]["ranges"]
        t.equal(numbers, list(range(numbers[0], numbers[-1] + 1)), f"{options}: all of one window")
        t.check(delay or numbers[0] == 0, f"{options}: begins with {numbers[0]}")
        t.check(duration or numbers[-1] == total - 1, f"{options}: ends with {numbers[-1]} of {total}")
        t.check(not duration or len(numbers) < total, f"{options}: nothing was left out")
        [process] = manifest["processes"]
        [[begin, end]] = process["gate"]["times"]
        born = process["begin_ns"] - CLOCK_TICK_NS
        t.check(begin >= born + (delay or 0) * MS, f"{options}: opened {begin - born} ns after the begin")
        t.check(end >= born + ((delay or 0) + (duration or 0)) * MS, f"{options}: closed {end - born} ns after the begin")
        base = trace.document["baseTimeNanoseconds"]
        for r in trace.ranges():
            t.check(begin - 1 <= base + r.begin <= end + 1, f"{options}: {r} began outside of {begin} to {end}")
