# SPDX-License-Identifier: Apache-2.0
"""The comparison of two builds finds no difference where there is none, and the one that there is."""

import os
import shutil
import sys

import kills

MODES = ("launcher",)
COMPARE = os.path.join(os.path.dirname(kills.__file__), "compare_formats.py")


def test(t):
    run = os.path.join(t.path("corpus"), "run")
    os.makedirs(run)
    for folder, _, names in os.walk(os.path.join(kills.crashed(t), "run", "spool")):
        for name in names:
            if name.endswith(".spool"):
                shutil.copy(os.path.join(folder, name), run)
    other = t.path("other")
    with open(other, "w") as file:
        file.write(f"#!/bin/sh\nSYNCLINE_TIME_UNIT=us exec {t.syncline} \"$@\"\n")
    os.chmod(other, 0o755)
    for build, status, word in ((t.syncline, 0, "1 runs"), (other, 1, "1 differ")):
        result = t.run([sys.executable, COMPARE, t.syncline, build, os.path.dirname(run)])
        t.equal(result.status, status, f"{result}")
        t.check(word.encode() in result.out, f"{result}")
