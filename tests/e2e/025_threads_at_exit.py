# SPDX-License-Identifier: Apache-2.0
"""Threads that go on recording while the program exits do not crash it."""

LABELS = ("endings",)


def test(t):
    for _ in range(10):
        recording = t.transparent([t.victim("threads"), "forever", "4"])
        t.counted(recording.trace().names(), {"before exit": 1})
