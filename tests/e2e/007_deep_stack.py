# SPDX-License-Identifier: Apache-2.0
"""512 ranges may be open on a thread; deeper ones are counted, and what follows is recorded
again."""

LABELS = ("sanitized",)


def test(t):
    trace = t.record([t.victim("deep"), "512"]).trace()
    t.equal(len(trace.ranges()), 513, "ranges")
    recording = t.record([t.victim("deep"), "600"])
    t.equal(len(recording.trace().ranges()), 513, "ranges")
    t.equal(recording.losses(), {"too_deep": 88}, "losses")
    t.said(recording, "88", "512")
