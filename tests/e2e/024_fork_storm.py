# SPDX-License-Identifier: Apache-2.0
"""300 children that record one range and leave by _exit at once: none is lost."""

LABELS = ("endings",)


def test(t):
    recording = t.record([t.victim("spawn"), "storm", "300"])
    t.equal(
        sorted(n for n in recording.trace().names() if n.startswith("storm")),
        sorted(f"storm {i}" for i in range(300)),
    )
    t.equal(recording.losses(), {}, "losses")
