# SPDX-License-Identifier: Apache-2.0
"""The schema check finds every planted fault, and nothing in a good trace."""

import gzip
import json
import os

import trace_check

MODES = ("launcher",)
META = [
    '{"ph": "M", "name": "process_name", "pid": 4210, "tid": 0, "ts": 0.000, "args": {"name": "p"}}',
    '{"ph": "M", "name": "thread_name", "pid": 4210, "tid": 7, "ts": 0.000, "args": {"name": "t"}}',
]
SLICE = (
    '{"ph": "X", "cat": "user_annotation", "name": "%s", "pid": 4210, "tid": 7, "ts": %s, "dur": %s, '
    '"args": {}}'
)
HEAD = """{
"schemaVersion": 1,
"distributedInfo": {"backend": "", "rank": 0, "world_size": 1},
"displayTimeUnit": "ms",
"baseTimeNanoseconds": 1780000000000000000,
"traceEvents": [
"""
OUTER, INNER = SLICE % ("outer", "1.0002", "4.9998"), SLICE % ("inner", "2.0002", "2.9998")
GOOD = HEAD + ",\n".join(META + [OUTER, INNER]) + '\n],\n"traceName": "rank-0.trace.json"\n}\n'
SUMS = '{"domain": "", "name": "%s", "count": 1, "total_ns": %d, "min_ns": %d, "max_ns": %d, "bucket": "1", "in_bucket": "1"}'
FINDINGS = '{"ranges": [%s, %s], "kernels": [], "copies": [], "waits": [], "gaps": []}' % (
    SUMS % ("outer", 5000, 5000, 5000), SUMS % ("inner", 3000, 3000, 3000))
DOUBLES = {  # both end at 4417710503471.317, but not after a multiplication by 1000
    '"ts": 1.0002, "dur": 4.9998': '"ts": 4417710503285.055, "dur": 186.262',
    '"ts": 2.0002, "dur": 2.9998': '"ts": 4417710503285.115, "dur": 186.202',
}
FAULTS = {
    "crosses": ('"ts": 2.0002, "dur": 2.9998', '"ts": 2.000, "dur": 4.0008'),
    "is not microseconds as": ('"ts": 2.0002', '"ts": 2.0'),
    "ts 2.000 is not written": ('"ts": 2.0002', '"ts": 2.000'),
    "dur 3.000 is not written": ('"dur": 2.9998', '"dur": 3.000'),
    "is not microseconds": ('"ts": 2.0002', '"ts": "2.0002"'),
    "whole and fractional": ('"ts": 2.0002, "dur": 2.9998', '"ts": 2, "dur": 3'),
    "an M event after": (META[1] + ",\n" + OUTER, OUTER + ",\n" + META[1]),
    "has no name": (META[1] + ",\n", ""),
    "collides": ("4210", "4"),
    "is not JSON": ('"dur": 2.9998', '"dur": NaN'),
    "twice": ('"name": "inner"', '"name": "inner", "name": "again"'),
    "cat": ('"user_annotation", "name": "inner"', '"nvtx", "name": "inner"'),
    "keys of X": ('"ts": 2.0002, "dur": 2.9998', '"dur": 2.9998, "ts": 2.0002'),
    "wrong order": (
        '"displayTimeUnit": "ms",\n"baseTimeNanoseconds": 1780000000000000000,',
        '"baseTimeNanoseconds": 1780000000000000000,\n"displayTimeUnit": "ms",',
    ),
    'the first "rank"': ('"backend": "", "rank": 0', '"backend": "", "rank":0'),
    "not of rank": ('"rank": 0, "world', '"rank": 1, "world'),
    "lone surrogate": ('"name": "inner"', '"name": "\\ud800"'),
    "104 days": ('"ts": 2.0002', '"ts": 99999999999999.000'),
    "has a stream": ('"dur": 2.9998, "args": {}', '"dur": 2.9998, "args": {"stream": 7}'),
    "events on": (",\n" + INNER, ", " + INNER),
    "no slice": (",\n" + OUTER + ",\n" + INNER, ""),
    "cannot be read": ("]", ""),
    "control": ("inner", "in\nner"),
}


def test(t):
    path = t.path("rank-0.trace.json")
    t.equal(faults(path, GOOD), [], "a good trace")
    for what, (old, new) in FAULTS.items():
        t.check(old in GOOD, f"{what}: nothing to plant the fault in")
        found = faults(path, GOOD.replace(old, new))
        t.check(any(what in fault for fault in found), f"{what}: not found, but {found}")
    planted = GOOD
    for old, new in DOUBLES.items():
        planted = planted.replace(old, new)
    t.check(any("doubles" in fault for fault in faults(path, planted)), "equal ends as doubles")
    stray(t)


def stray(t):
    os.makedirs(t.path("run1/run"))
    manifest = {"schema": "syncline.rank/1", "rank": 0, "ranges": 2, "marks": 0, "calls": 0, "device_ops": 0}
    manifest["trace"] = "rank-0.trace.json.gz"
    with open(t.path("run1/run/rank-0.json"), "w") as file:
        json.dump(manifest, file)
    with gzip.open(t.path("run1/rank-0.trace.json.gz"), "wb") as file:
        file.write(GOOD.encode())
    keep_findings(t, FINDINGS)
    t.equal(trace_check.check_directory(t.path("run1")), [], "a good directory")
    for old, new in (("5000", "5001"), ('"count": 1', '"count": 2'), ('"inner"', '"other"'), ('"waits": []', '"waits": [{"count": 1}]')):
        t.check(old in FINDINGS, f"{old}: nothing to plant the fault in")
        keep_findings(t, FINDINGS.replace(old, new))
        t.check(trace_check.check_directory(t.path("run1")), f"findings with {new} were not noticed")
    os.remove(t.path("run1/run/rank-0.findings"))
    t.check(trace_check.check_directory(t.path("run1")), "missing findings were not noticed")
    keep_findings(t, FINDINGS)
    for name in ("summary.json", "core.gz", "rank-0.trace.json.tmp"):
        open(t.path(f"run1/{name}"), "w").close()
        t.check(trace_check.check_directory(t.path("run1")), f"{name} was not noticed")
        os.remove(t.path(f"run1/{name}"))
    with open(t.path("run1/run/rank-0.json"), "w") as file:
        json.dump({**manifest, "ranges": 3}, file)
    t.check(trace_check.check_directory(t.path("run1")), "a wrong count was not noticed")
    os.remove(t.path("run1/run/rank-0.json"))
    t.check(trace_check.check_directory(t.path("run1")), "a missing manifest was not noticed")


def keep_findings(t, text):
    with gzip.open(t.path("run1/run/rank-0.findings"), "wt") as file:
        file.write(text)


def faults(path, text):
    with open(path, "w") as file:
        file.write(text)
    return trace_check.check_trace(path)
