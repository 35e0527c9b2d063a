# SPDX-License-Identifier: Apache-2.0
"""A child made by fork or raw clone records into a session of its own, and nothing of the parent is
in it. A child of vfork has the parent's memory: what it records first is counted, and the parent is whole."""

ENV = {"TSAN_OPTIONS": "die_after_fork=0"}  # for victims built with it: the children start threads
LABELS = ("thin", "endings", "sanitized")


def test(t):
    without = [t.victim("seccomp_refuse"), "wipe"]  # as before Linux 4.14, and under gVisor
    for before, how in (([], "fork"), ([], "fork_exit"), ([], "clone"), (without, "fork"), (without, "fork_exit"), (without, "clone")):
        trace = t.transparent([*before, t.victim("spawn"), how], env=ENV).trace()
        wanted = {"parent": 1, "parent after": 1, "child": 1}
        if how != "clone":
            wanted.update({"around fork": 1, "thread of child": 1})
        t.counted(trace.names(), wanted)
        t.equal(len(trace.ranges()), len(wanted), "ranges")
        pids = {r.name: r.pid for r in trace.ranges()}
        t.check(pids["parent"] == pids["parent after"] != pids["child"], f"{pids}")
    trace = t.record([t.victim("spawn"), "deep"], env=ENV).trace()
    t.equal(len({r.pid for r in trace.ranges() if r.name.startswith("generation")}), 6, "processes")
    shared = t.transparent([t.victim("spawn"), "vfork_first"], env=ENV)
    pids = {r.name: r.pid for r in shared.trace().ranges()}
    if "child" in pids:  # ThreadSanitizer makes a fork of it
        t.check(pids.pop("child") != pids["parent"] and not shared.losses(), f"{shared}")
    else:
        t.equal(shared.losses(), {"vfork_child": 1}, f"{shared}")
    t.equal((sorted(pids), len(set(pids.values()))), (["parent", "parent after"], 1), f"{shared}")
