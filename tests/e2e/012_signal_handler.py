# SPDX-License-Identifier: Apache-2.0
"""A handler that records while its thread records: each range is in the trace or counted."""


def test(t):
    recording = t.record(
        [t.victim("signal_emit")], options=["--memory-ring", "64M", "--memory-process", "1G"]
    )
    pushed, handled = map(int, recording.out.split())
    names = recording.trace().names()
    t.equal(names.count("main"), pushed, "ranges of the program")
    found, lost = names.count("handler"), recording.losses()
    t.check(found <= handled, f"{found} ranges of {handled} handlers")
    t.check(
        found + lost.get("nested_signal", 0) >= handled,
        f"{found} of {handled} handlers, lost: {lost}",
    )
