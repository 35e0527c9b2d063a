# SPDX-License-Identifier: Apache-2.0
"""Each push/pop range stands on the row of each stream that worked for it, from the first begin to the last end of what was
launched in it, and nowhere else."""

from collections import defaultdict

LABELS = ("gpu",)
PROGRAMS = ("annotated", "training_step 4")
ROOM = 3  # ns that a range may end later than its last operation


def expected(trace):
    """(name, device, stream) of each range and its extent there: by the calls inside, joined by correlation."""
    ops = defaultdict(list)
    for op in trace.device_ops():
        ops[op.args["correlation"]].append(op)
    found = []
    for outer in trace.ranges():
        extents = defaultdict(list)
        for call in trace.calls(tid=outer.tid):
            if outer.begin <= call.begin <= outer.end:
                for op in ops[call.args.get("correlation")]:
                    extents[op.pid, op.args["stream"]].append((op.begin, op.end))
        for (device, stream), spans in extents.items():
            begin, end = min(s[0] for s in spans), max(s[1] for s in spans)
            found.append((outer.name, outer.args.get("domain"), device, stream, begin, end))
    return sorted(found, key=str)


def names(t, trace):
    """Streams by the runtime's and by the driver's call, and the device."""
    rows = {(e["pid"], e["tid"]): e["args"]["name"] for e in trace.events if e["ph"] == "M" and e["name"].endswith("_name")}
    streams = [r.tid for r in trace.gpu_ranges(name="inner")]
    told = sorted(rows[0, tid].split(" ", 2)[2] for tid in streams)
    t.equal(told, ["(compute)", "(copies)"], f"{rows}")
    t.check(any(r.endswith(" (compute) (ranges)") for r in rows.values()), f"{rows}")
    t.check(rows[0, 0].endswith(" first GPU"), f"{rows}")


def test(t):
    for program in PROGRAMS:
        name, *arguments = program.split()
        trace = t.record([t.cuda_program(name), *arguments], env=t.gpu_environment()).trace()
        wanted = expected(trace)
        told = sorted(((r.name, r.args.get("domain"), r.pid, r.tid % 1000000, r.begin, r.end) for r in trace.gpu_ranges()), key=str)
        t.equal([w[:5] for w in wanted], [g[:5] for g in told], program)
        t.check(all(0 <= g[5] - w[5] <= ROOM for w, g in zip(wanted, told)), f"{program}: {wanted} but {told}")
        t.check(len(told) > 5, f"{program}: {told}")
        if name == "annotated":
            crossing = [r for r in trace.gpu_ranges() if r.name.startswith("crossing")]
            t.equal(len({r.tid for r in crossing}), 2, f"rows of {crossing}")
            names(t, trace)
