# SPDX-License-Identifier: Apache-2.0
"""10,000 short threads recycle rings: every one's range is there, and the memory stays bounded."""

LABELS = ("sanitized",)


def test(t):
    recording = t.record([t.victim("threads"), "many", "10000"])
    t.equal(recording.losses(), {}, "losses")
    missing = {f"short {i}" for i in range(10000)} - set(recording.trace().names())
    t.equal(missing, set(), "missing")
    t.equal(len(recording.trace().names()), 10000, "number of ranges")
