# SPDX-License-Identifier: Apache-2.0
"""--torch modules in each version of Python, with a stand-in for PyTorch's file: modules of threads and a fork's child, objects and dicts that
are odd, and code of the program's that nobody may run. The program prints what it prints without us."""

import glob
import os

import interpreters
import operators
from syncline_test import ROOT

LABELS = ("python",)
TIMEOUT = 240
PROGRAM = os.path.join(ROOT, "tests", "python_programs", "modules.py")
NET = [(0, "Net"), (1, "Net.raising"), (1, "Net.leaf"), (1, "Net.chain"), (2, "Net.chain.0"), (2, "Net.chain.1"), (3, "Net.chain.1.0"),
       (1, "Net.chain.1.0"), (1, "Leaf")]
CIRCLE = [(depth, ".".join(["Chain", *["second", "first"] * 3][:depth + 1])) for depth in range(6)] + [(6, "Leaf")]
PARTS = {
    "plain": NET,
    "no_modules": [(0, "int"), (0, "Slotted")],
    "odd_children": [(0, "Chain"), (1, "Chain.0"), (1, "Chain.m\u00f6dul"), (1, "Chain."), (0, "Chain")],
    "hostile": [(0, "Chain"), (1, "Chain.0"), (2, "Leaf"), (1, "Chain.1"), (2, "Leaf")],
    "circle": CIRCLE,
    "recursion": [(depth, "Deep") for depth in range(61)],
    "fork": [(0, "Chain"), (1, "Chain.0")],
}


def test(t):
    tried = []
    for version, python in interpreters.found(t):
        if version not in (("3.11", "3.13") if t.mode == "process" else interpreters.VERSIONS):
            continue
        tried.append(version)
        parts = [part for part in PARTS if part != "fork" or t.mode == "launcher"]  # Python 3.12 warns of a thread of ours
        recording = t.transparent([python, "-X", "dev", PROGRAM, *parts, "threads"], ["--torch", "modules"])
        t.equal(recording.losses(), {}, version)
        nested = operators.nested([(r.pid, r.tid, r.begin, r.end, r.args["class"], r.name) for r in recording.trace().modules()], None)
        found = sorted([(depth, name) for depth, _, name in slices] for slices in nested.values())
        in_child = [NET] if "fork" in parts else []
        wanted = sorted([sum((PARTS[part] for part in parts), []), NET, NET, NET, *in_child])
        for one, other in zip(found, wanted):
            t.check(one == other, f"Python {version}: {operators.first_difference(one, other)}")
        t.equal(len(found), len(wanted), f"Python {version}: threads")
    t.check(tried, "none of the versions is installed")
    for python in glob.glob(os.path.expanduser("~/.pyenv/versions/3.7.*/bin/python3")):
        recording = t.record([python, PROGRAM, "plain"], ["--torch", "modules"], complete=False)
        t.equal(recording.ending, "status 0", f"{recording}")
        t.check("syncline: error: --torch modules records nothing: it needs Python 3.8 or later, and this is 3.7" in recording.said, f"{recording}")


