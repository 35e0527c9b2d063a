# SPDX-License-Identifier: Apache-2.0
"""A program that forbids itself rdtsc is recorded with --clock syscall; one that was started so, as it is."""


def test(t):
    recording = t.transparent([t.victim("forbid_tsc")], options=["--clock", "syscall"])
    t.counted(recording.trace().names(), {"first": 1, "without rdtsc": 100000, "of a thread": 1})
    for clock in ("tsc", "monotonic"):
        recording = t.record([t.victim("deep"), "2"], options=["--clock", clock])
        t.equal(recording.ending, "status 0", f"{recording}")
