# SPDX-License-Identifier: Apache-2.0
"""Programs with and without one thing that costs time: the comparison names that thing first, and nothing of a program and itself."""

import json

import twins
from twin_prices import mark

LABELS = ("gpu",)
TIMEOUT = 240
MODES = ("launcher",)
# What is to come first: the wait at the marked line, or what it is. Of the latter nothing is done more or less often: they need runs
# that confirm each other.
CASES = {
    "stream_sync": "wait",
    "read_back": "wait",
    "pageable_upload": "wait",
    "busy_anyway": "wait",
    "query_spin": "wait",
    "late_loading": "`load`",
    "legacy_stream": "time of GPUs: computing",
    "upload_blocks": "time of GPUs: copying",
    "item": "wait",
}


def test(t):
    t.simulated_only()
    for name, first in CASES.items():
        twin = twins.find(name)
        runs = 1 if first == "wait" or twin.language == "torch" else 3
        lossy, without = [], []
        for _ in range(runs):
            lossy.append(record(t, twin))
            without.append(record(t, twin, "--without"))
        told = compare(t, lossy, without)
        t.check(told["changes"], f"{name}: nothing is told: {told['step']}")
        change = told["changes"][0]
        t.check(first in change["text"] and change["delta_ms"] < 0, f"{name}: {change}")
        if first == "wait":
            t.equal((change["change"], mark(twin) in change["where"]), ("gone", True), f"{name}: {change}")
        back = compare(t, without, lossy)["changes"]
        t.check(any(row["delta_ms"] > 0 and first in row["text"] for row in back if "delta_ms" in row), f"{name}, backwards: {back}")
        t.equal(compare(t, lossy, [record(t, twin) for _ in lossy])["changes"], [], f"{name} and itself")


def record(t, twin, *how):
    done = t.past_exit_race(lambda: t.record([*twins.command(t, twin), *how], env=twins.environment(t, twin)), {})
    t.equal(done.ending, "status 0", f"{twin.name}: {done}")
    return done.directory


def compare(t, a, b):
    done = t.run([t.syncline, "compare", "--format", "json", *a, "--", *b])
    t.equal((done.ending, done.err), ("status 0", b""), f"{done}")
    return json.loads(done.out)
