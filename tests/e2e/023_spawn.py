# SPDX-License-Identifier: Apache-2.0
"""Children by vfork, posix_spawn and system: the parent's rings stay whole, and the new program's
ranges are there."""

LABELS = ("thin", "endings")


def test(t):
    victim = t.victim("spawn")
    for how in ("vfork", "posix_spawn", "system"):
        trace = t.transparent([victim, how], env={"SPAWN_SELF": victim}).trace()
        t.counted(trace.names(), {"parent": 1, "parent after": 1, "child": 1})
        t.check(trace.ranges(name="child")[0].pid != trace.ranges(name="parent")[0].pid, "one pid")
