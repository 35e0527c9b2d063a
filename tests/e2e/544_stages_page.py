# SPDX-License-Identifier: Apache-2.0
"""Each line of docs/stages.md's table of other tools' words records what the line says."""

import os
import re
import shlex
from collections import Counter

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "stages.md")
ROW = re.compile(r"^\| (?P<elsewhere>.*?) \| `(?P<here>[^|]*)` \| (?P<kind>steps|ranges|nothing) ?(?P<names>[^(|]*?) ?(?:\([^|]*\) )?\|$", re.M)
STEPS, INSIDE = 30, ("load", "denoise", "vae_decode")
LABELS = ("thin",)


def wanted(kind, names):
    if kind == "ranges":
        return Counter({name: STEPS for name in names})
    return Counter([name for step in names for name in (f"step {step}", *INSIDE)])


def test(t):
    with open(PAGE) as file:
        table = file.read().split("## In other words")[1]
    rows = list(ROW.finditer(table))
    lines = [line for line in table.split("\n") if line.startswith("| ")][1:]
    t.equal(len(rows), len(lines), "lines of the table that are understood")
    for row in rows:
        words = shlex.split(row["here"])
        env = dict(word.split("=", 1) for word in words if word.startswith("SYNCLINE_"))
        options = [word for word in words if not word.startswith("SYNCLINE_")]
        trace = t.record([t.victim("stages"), "loop"], options, env).trace()
        shown = Counter(r.name for r in trace.ranges())
        t.equal(shown, wanted(row["kind"], row["names"].split()), row["here"])
        numbers = [s.name for s in trace.slices() if s.name.startswith("ProfilerStep#")]
        t.equal(numbers, [f"ProfilerStep#{n}" for n in row["names"].split()] if row["kind"] == "steps" else [], row["here"])
