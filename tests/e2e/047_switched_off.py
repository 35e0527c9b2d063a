# SPDX-License-Identifier: Apache-2.0
"""SYNCLINE_DISABLE and --skip: the program runs bare."""


def test(t):
    recording = t.transparent(
        [t.victim("exec_chain"), "1"], env={"SYNCLINE_DISABLE": "1"}, complete=False
    )
    t.equal(
        [name for rank in recording.ranks() for name in recording.trace(rank).names()], [], "ranges"
    )
    victim = t.victim("exec_chain")
    trace = t.record(
        ["/bin/sh", "-c", f"{victim} 0; {t.victim('deep')} 1; true"],
        options=["--skip", "exec_chain"],
    ).trace()
    t.equal(trace.names(), ["level 0", "afterwards"])
