# SPDX-License-Identifier: Apache-2.0
"""A syncline inside a syncline joins the outer run: one directory, one trace."""

import os


def test(t):
    inner = [t.syncline, "-o", t.path("inner"), "--", t.victim("exec_chain"), "1"]
    recording = t.record(["/bin/sh", "-c", f"{t.victim('deep')} 1; exec " + " ".join(inner)])
    t.counted(recording.trace().names(), {"level 0": 1, "closed 1": 1, "closed 0": 1})
    t.check(not os.path.exists(t.path("inner")), "the inner run made a directory of its own")
    t.equal(recording.ending, "status 4")
