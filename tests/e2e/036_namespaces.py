# SPDX-License-Identifier: Apache-2.0
"""A program may enter user, pid, mount and time namespaces; ranges stay, and stand in order of
time."""


def test(t):
    t.need_root()
    for kind in ("user", "pid", "mount", "time"):
        if t.mode == "process" and kind == "user":
            continue  # unshare(CLONE_NEWUSER) needs a single thread: docs/ says that this mode cannot promise it
        trace = t.transparent([t.victim("enter"), kind]).trace()
        by_name = {r.name: r for r in trace.ranges()}
        t.equal(sorted(by_name), ["after", "before", "child", "end"], kind)
        order = [by_name[name].begin for name in ("before", "after", "child", "end")]
        t.equal(order, sorted(order), f"{kind}: order of time")
        t.check(order[-1] - order[0] < 10e9, f"{kind}: {order}")
