# SPDX-License-Identifier: Apache-2.0
"""Holds the findings of a rank to its trace: the same ranges, kernels, copies, waits and gaps, summed up."""

import gzip
import json
import re
from collections import defaultdict

# With --base-time kineto doubles do not hold nanoseconds, and each end of a slice moves so far (docs/trace-format.md).
ENDS_MOVE_NS = ((2**43, 21), (2**42, 10), (2**41, 3))  # from so many us after the base
# A device's times are put on the host's line one by one, and neighbours are moved apart by nanoseconds.
DEVICE_NS, DEVICE_SHARE = 50, 0.001
FORWARD = "training forward"  # in no trace: between two other parts of a training's step
PARTS = re.compile(r"Optimizer\.step#|enumerate\(DataLoader\)#|autograd\.backward$")
STEP = re.compile(r"(.*?)#?\d+")
HEX = "[0-9a-fA-F]"
NUMBER = re.compile(
    rf"\b(?P<address>0x){HEX}+"
    rf"|\b{HEX}{{8}}(?:-{HEX}{{4}}){{3}}-{HEX}{{12}}\b|\b(?={HEX}*\d){HEX}{{16,}}\b"
    r"|(?:(?<=[ =:(\[,])|^)-?\d+(?:\.\d+)?(?:[eE][-+]?\d+\b)?|\d+")


def load(path):
    with gzip.open(path, "rt") as file:
        return json.load(file)


def names_of(name):
    """Under which names it may have been summed up."""
    yield name
    yield NUMBER.sub(lambda match: (match.group("address") or "") + "#", name)
    match = STEP.fullmatch(name)
    if match:
        yield match.group(1) + "#"


def sums_of(slices, known):
    """[count, ns, shortest, longest] by (domain, name), under the names that `known` has."""
    sums, keys = defaultdict(lambda: [0, 0, None, 0]), {}
    for r in slices:
        own = r.args.get("domain", ""), r.name
        if own not in keys:
            keys[own] = next(((own[0], name) for name in names_of(r.name) if (own[0], name) in known), own)
        key = keys[own]
        entry, length = sums[key], r.end - r.begin
        entry[0] += 1
        entry[1] += length
        entry[2] = length if entry[2] is None else min(entry[2], length)
        entry[3] = max(entry[3], length)
    return sums


def compare(what, slices, rows, slack_ns, share=0.0):
    """Faults between slices of the trace and rows of findings."""
    told = {}
    for row in rows:
        if sum(column(row["in_bucket"])) != row["count"]:
            yield f"findings: the sketch of {row} counts something else"
        key = row.get("domain", ""), row["name"]
        have = told.setdefault(key, [0, 0, None, 0])
        have[0] += row["count"]
        have[1] += row["total_ns"]
        have[2] = row["min_ns"] if have[2] is None else min(have[2], row["min_ns"])
        have[3] = max(have[3], row["max_ns"])
    if any(name == "(other names)" for _, name in told):
        return
    true = sums_of(slices, told)
    for key in sorted(set(true) | set(told)):
        if "\ufffd" in key[1]:
            continue
        a, b = true.get(key), told.get(key)
        if a is None or b is None or a[0] != b[0]:
            yield f"findings: {what} {key}: the trace has {a}, the findings {b}"
            continue
        for i, count in ((1, a[0]), (2, 1), (3, 1)):
            if abs(a[i] - b[i]) > count * slack_ns + share * a[i]:
                yield f"findings: {what} {key}: the trace has {a}, the findings {b}"
                break


def forward(trace, rows):
    """Each ends where backward begins, and began where the thread's last part of a step ended. Times while nothing was recorded are none."""
    ends, longest = {}, []
    for r in sorted((r for r in trace.ranges() if r.args.get("domain") == "torch" and PARTS.match(r.name)), key=lambda r: r.end):
        before = ends.get((r.pid, r.tid))
        if r.name == "autograd.backward" and before is not None and before < r.begin:
            longest.append(r.begin - before)
        ends[r.pid, r.tid] = None if r.name.startswith("Optimizer.") else r.end
        if r.tid >= 2**23:  # ranges that do not nest have a row of their own: whose thread's is not told
            return
    count, total = sum(row["count"] for row in rows), sum(row["total_ns"] for row in rows)
    if count > len(longest) or abs(total - sum(sorted(longest)[:count])) > 1000 * count and count == len(longest):
        yield f"findings: {FORWARD}: the trace has {len(longest)} of {sum(longest)} ns, the findings {rows}"


def column(text):
    """Numbers as findings keep them: each is the difference from the one before."""
    values, last = [], 0
    for word in text.split():
        last = (last + int(word)) % 2**64
        values.append(last)
    return values


def counts(what, slices, rows):
    told = sum(row["count"] for row in rows)
    if len(slices) != told:
        yield f"findings: {told} {what}, in the trace {len(slices)}"


def gap_parts(gap):
    """(cause, ns) of each part of a gap."""
    parts = gap.args.get("parts_us") or {gap.args["cause"]: (gap.end - gap.begin) / 1000}
    return [(cause, us * 1000) for cause, us in parts.items()]


def compare_gaps(gaps, rows, rounding):
    """The parts of gaps, by cause: each is in the findings, and they add up to the same."""
    true, told = {}, {}
    for cause, ns in (part for gap in gaps for part in gap_parts(gap)):
        count, sum_ns = true.get(cause, (0, 0))
        true[cause] = (count + 1, sum_ns + ns)
    for row in rows:
        count, ns = told.get(row["cause"], (0, 0))
        told[row["cause"]] = (count + row["count"], ns + row["total_ns"])
    for cause in sorted(set(true) | set(told)):
        a, b = true.get(cause, (0, 0)), told.get(cause, (0, 0))
        if a[0] != b[0] or abs(a[1] - b[1]) > a[0] * (rounding + 2):
            yield f"findings: gaps, {cause}: the trace has {a}, the findings {b}"


def check(trace, findings):
    """The faults."""
    latest = max((float(begin) for begin, _ in trace.times), default=0.0)
    whole = all("." not in begin for begin, _ in trace.times)  # --time-unit us
    moved = next((ns for us, ns in ENDS_MOVE_NS if latest >= us), 0)
    rounding = 1000 if whole else 2 * moved
    ops = trace.device_ops()
    kernels = [op for op in ops if op.cat == "kernel"]
    if not {"min_duration_ns", "kernels"} & trace.metadata.keys():  # such a trace shows less than was recorded
        yield from compare("range", trace.ranges(), [row for row in findings["ranges"] if row["name"] != FORWARD], rounding)
        yield from forward(trace, [row for row in findings["ranges"] if row["name"] == FORWARD])
        yield from compare("kernel", kernels, findings["kernels"], DEVICE_NS + rounding, DEVICE_SHARE)
        yield from compare("copy", [op for op in ops if op.cat != "kernel"], findings["copies"], DEVICE_NS + rounding, DEVICE_SHARE)
    yield from counts("waits", trace.waits(), findings["waits"])
    yield from compare_gaps(trace.gaps(), findings["gaps"], rounding)


def check_rank(directory, rank, trace):
    """The faults of a rank of a run; its findings must be there."""
    path = f"{directory}/run/rank-{rank}.findings"
    try:
        return list(check(trace, load(path)))
    except OSError as error:
        return [f"findings of rank {rank}: {error}"]
