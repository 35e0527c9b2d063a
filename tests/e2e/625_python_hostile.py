# SPDX-License-Identifier: Apache-2.0
"""Labels and signatures of arguments that would end the program if any code of theirs ran, that nest in themselves or are huge, in each version of
Python: the program runs as without Syncline, and what is lost is counted."""

import json
import os

import interpreters
from syncline_test import ROOT

LABELS = ("python",)
TIMEOUT = 300
MODES = ("launcher",)
PROGRAM = os.path.join(ROOT, "tests", "python_programs", "hostile_calls.py")
CHOSEN = ["--signatures", "--python-ranges", "__main__.do_label(a.x, a.y, a.z, a.x.x.x.y),*.do_*(a)"]
# Of 6000 calls that are open at once 4096 have a row; the fork's child ends what it did not begin.
LOST = {"too_many_open": 6000 - 4096}


def test(t):
    for version, python in interpreters.found(t):
        if version not in ("3.8", "3.11", "3.13") and not t.full:
            continue
        recording = t.transparent([python, "-W", "ignore", PROGRAM], CHOSEN)
        t.equal(recording.out, b"done\n", version)
        t.equal(recording.losses(), LOST, version)
        told = json.loads(t.run([t.syncline, "report", recording.directory, "--format", "json"]).out)
        labels = {(row["label"], row["value"]): row["count"] for row in told["labels"] if row["name"] == "__main__.do_label"}
        # Of 45 values: Data and Pair have an x; the circle has itself.
        t.equal({value: count for (label, value), count in labels.items() if label == "a.x"},
                {"3": 1, "(SimpleNamespace)": 1, "(missing)": 43}, version)
        t.equal({value: count for (label, value), count in labels.items() if label == "a.x.x.x.y"}, {"5": 1, "(missing)": 44}, version)
