# SPDX-License-Identifier: Apache-2.0
"""A program that closes every descriptor and reuses the numbers finds its files untouched; its
ranges are recorded."""

import os

LABELS = ("thin",)


def test(t):
    os.mkdir(t.path("files"))
    recording = t.transparent([t.victim("close_all"), t.path("files")])
    t.equal(recording.out, b"untouched\n")
    lost = recording.losses()
    found = len(recording.trace().ranges())
    t.equal(found + sum(lost.values()), 50003, f"ranges, and {lost} lost")
    t.counted(
        recording.trace().names(), {"before closing": 1, "after closing": 1, "after verifying": 1}
    )
