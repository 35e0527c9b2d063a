# SPDX-License-Identifier: Apache-2.0
"""A version manager's shim: dozens of helper processes and execs in one pid; only the program's
ranges are there."""


def test(t):
    recording = t.transparent([t.victim("shim.sh"), t.victim("exec_chain"), "2"])
    t.equal(
        sorted(recording.trace().names()), ["closed 0", "closed 1", "closed 2", "open 1", "open 2"]
    )
