# SPDX-License-Identifier: Apache-2.0
"""Patterns of --python-ranges that no function fits are named after the run, and only where that is known."""

import os

import interpreters
from syncline_test import ROOT

LABELS = ("python",)
PROGRAM = os.path.join(ROOT, "tests", "python_programs", "ranges.py")
UNFIT = "syncline: --python-ranges: no function that was called fits {}"


def test(t):
    tried = []
    for version, python in interpreters.found(t):
        if version in ("3.9", "3.10"):
            continue
        tried.append(version)
        program = [python, PROGRAM, t.path("truth"), "functions"]
        for patterns, options, unfit in (
            ("*.do_plain,*.do_made,*.Mod?l.forward", [], None),
            ("piplene.denoise,*.do_plain,*.do_nothing", [], "piplene.denoise and '*.do_nothing'"),
            ("piplene.denoise,*.do_plain", ["--stages", "*.do_plain@py"], None),
        ):
            recording = t.record(program, ["--python-ranges", patterns, *options])
            t.equal([line for line in recording.said if "no function" in line], [UNFIT.format(unfit)] if unfit else [], f"Python {version}: {recording}")
    t.check(tried, "none of the versions is installed")
