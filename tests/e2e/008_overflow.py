# SPDX-License-Identifier: Apache-2.0
"""A ring that is too small loses records, and every one is counted: recorded + lost == emitted."""


def test(t):
    emitted = 2000000
    recording = t.record([t.victim("fast"), str(emitted), "1"], options=["--memory-ring", "64K"])
    found = len(recording.trace().ranges(name="fast"))
    lost = recording.losses()
    t.equal(found + sum(lost.values()), emitted, f"recorded {found} + lost {lost}")
    t.check(found > 0, "nothing was recorded")
    if lost:
        t.said(recording, f"{sum(lost.values()):,}", "--memory-ring")
