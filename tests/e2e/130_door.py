# SPDX-License-Identifier: Apache-2.0
"""syncline.h: nothing happens and nothing is linked without Syncline; with it, regions with their labels, across threads and forks, and pauses
that the program asks for."""

import subprocess
from collections import Counter

PROGRAMS = ("door", "door_no_pie", "door_clang")
ALWAYS = {"step 0": 1, "step 1": 1, "step 2": 1, "inner": 3, "request": 1, "beside": 1, "timed": 1, "behind": 1, "of the child": 1, "(no name)": 1}


def test(t):
    for name in PROGRAMS:
        program = t.victim(name)
        alone(t, program)
        recorded(t, program)
    alone(t, t.victim("door_static"))
    paused(t, t.victim("door"))
    chosen(t, t.victim("door"))
    trace = t.record([t.victim("door_cpp")]).trace()
    t.equal(Counter(trace.paths()), Counter({"outer": 1, "outer > inner": 1, "last": 1}), "C++")
    t.equal(trace.ranges(name="outer")[0].args["payload"], {"batch": 8, "kind": "eval"}, "C++")


def alone(t, program):
    done = t.run([program])
    t.equal((done.ending, done.out, done.err), ("status 0", b"elapsed=none paused=0 recording=0 resumed=0 now=0 errno=77\n(none)\n", b""), program)
    needed = subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=True).stdout
    t.check("syncline" not in needed, f"{program}: {needed}")


def recorded(t, program):
    recording = t.record([program])
    told = recording.out.decode().splitlines()
    t.equal(told, ["elapsed=good paused=0 recording=1 resumed=0 now=1 errno=77", recording.directory], program)
    trace = recording.trace()
    t.equal(Counter(trace.names()), Counter({**ALWAYS, "while paused": 1}), program)
    t.equal({r.args["domain"] for r in trace.ranges()}, {"region"}, program)
    labels = [r.args.get("payload") for r in trace.ranges() if r.name.startswith("step")]
    t.equal(labels, [{"number": i - 1, "mode": mode, "rate": 0.5 * i} for i, mode in enumerate(("train", 'eval "x"', "train"))], program)
    t.equal([r.args.get("payload") for r in trace.ranges(name="inner")], [None] * 3, program)
    [request], [beside], [timed] = (trace.ranges(name=name) for name in ("request", "beside", "timed"))
    t.check(request.begin < beside.begin and request.end - request.begin >= 2_000_000, f"{program}: {request}, {beside}")
    t.check(request.tid != beside.tid, f"{program}: a range that ends anywhere has a row of its own")
    t.check(3_000_000 <= timed.end - timed.begin, f"{program}: {timed}")
    log = "".join(process["log"] for process in recording.manifest()["processes"])  # the fork's child may be the first one
    t.check("--gate program" in log, f"{program}: what a pause needs is said")


def paused(t, program):
    recording = t.record([program], ["--gate", "program"])
    t.check(b"paused=1 recording=0 resumed=1 now=1 errno=77" in recording.out, f"{recording.out}")
    t.equal(Counter(recording.trace().names()), Counter(ALWAYS), "with --gate program")
    gate = max((process["gate"] for process in recording.manifest()["processes"] if "gate" in process), key=lambda gate: gate["windows"])
    t.equal((gate["windows"], gate["not_recorded"]["ranges"]), (2, 1), f"{gate}")


def chosen(t, program):
    """A region is a stage like any range; --collect leaves it out."""
    t.equal(Counter(t.record([program], ["--stages", "step 1@region"]).trace().names()), Counter({"step 1": 1, "inner": 1}), "a stage")
    without = t.run([t.syncline, "--collect", "nvtx", "--", program])
    t.check(b"elapsed=none paused=0 recording=0" in without.out and b"(none)" in without.out, f"{without}")
