# SPDX-License-Identifier: Apache-2.0
"""Each call of a `__getitem__` in Python is a range, also in releases of Python 3.11 that enter it without evaluating its frame (3.11.2)."""

import glob
import json
import os
from collections import Counter

import interpreters
from syncline_test import ROOT

LABELS = ("python",)
PROGRAM = os.path.join(ROOT, "tests", "python_programs", "getitem.py")
CHOSEN = ["--python-ranges", "__main__.*__getitem__,__main__.*do_*"]
# Before Syncline comes, and after.
BEFORE = """
class Row:
    def __getitem__(self, key): return key
def use(row):
    for key in range(100): row[key]
use(Row())
"""
AFTER = "use(Row())"


def test(t):
    for version, python in interpreters.found(t):
        truth = t.path("truth")
        recording = t.record([python, PROGRAM, truth], CHOSEN)
        t.equal(recording.losses(), {}, f"{version}")
        with open(truth) as file:
            ran = json.load(file)
        t.check(len(ran) == 6 and min(ran.values()) >= 100, f"{version}: {ran}")
        t.equal(Counter(r.name for r in recording.trace().ranges()), Counter(ran), f"{python}")
    late(t)


def late(t):
    """A library that was opened late: the places that call the method are specialised when Syncline comes."""
    for library in glob.glob(os.path.expanduser("~/.pyenv/versions/3.11.*/lib/libpython3.11.so.1.0")) + glob.glob("/usr/lib/*/libpython3.11.so.1.0"):
        home = {"PYTHONHOME": os.path.dirname(os.path.dirname(library))} if ".pyenv" in library else {}
        recording = t.record([t.victim("late_python"), library, BEFORE, AFTER], CHOSEN, home)
        t.equal(recording.trace().names().count("__main__.Row.__getitem__"), 100, f"{library}: {recording}")
