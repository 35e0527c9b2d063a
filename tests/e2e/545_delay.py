# SPDX-License-Identifier: Apache-2.0
"""--delay and --duration: one window, and all that began in it."""

LABELS = ("sanitized",)


def test(t):
    whole = t.record([t.victim("stages"), "for", "100"], ["--duration", "100s"]).manifest()
    t.equal((whole["not_recorded"]["ranges"], whole["processes"][0]["gate"]["windows"]), (0, 1), "a duration that is longer than the program")
    for options, first, last in ((["--delay", "300ms"], False, True), (["--duration", "300ms"], True, False), (["--delay", "200ms", "--duration", "300ms"], False, False)):
        recording = t.record([t.victim("stages"), "for", "1000"], options)
        trace, manifest = recording.trace(), recording.manifest()
        numbers = [int(name.split()[1]) for name in sorted(trace.names(), key=lambda name: int(name.split()[1]))]
        total = manifest["ranges"] + manifest["not_recorded"]["ranges"]
        t.equal(numbers, list(range(numbers[0], numbers[-1] + 1)), f"{options}: all of one window")
        t.equal((numbers[0] == 0, numbers[-1] == total - 1), (first, last), f"{options}: {numbers[0]} to {numbers[-1]} of {total}")
        gate, base = manifest["processes"][0]["gate"], trace.document["baseTimeNanoseconds"]
        [[begin, end]] = gate["times"]
        for r in trace.ranges():
            t.check(begin - 1 <= base + r.begin <= end + 1, f"{options}: {r} began outside of {begin} to {end}")
