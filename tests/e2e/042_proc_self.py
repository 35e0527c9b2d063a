# SPDX-License-Identifier: Apache-2.0
"""Under the launcher a recorded program has the threads, descriptors, signals and limits of a bare
run."""

MODES = ("launcher",)


def test(t):
    recording = t.transparent([t.victim("proc_self")])
    t.check(
        b"thread 0 proc_self" in recording.out and b"thread 1" not in recording.out, f"{recording}"
    )
    t.equal(len(recording.trace().ranges()) + sum(recording.losses().values()), 20000, "ranges")
