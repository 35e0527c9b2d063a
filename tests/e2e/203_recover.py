# SPDX-License-Identifier: Apache-2.0
"""recover: damaged, truncated and foreign spools give what is readable, and say what is missing."""

import glob
import os
import random
import shutil

import kills
import trace_check

LABELS = ("fault", "sanitized")


def test(t):
    original = kills.crashed(t)
    for number, harm in enumerate((truncate, flip, empty, foreign)):
        directory = t.path(f"harm{number}")
        shutil.copytree(original, directory)
        spools = glob.glob(os.path.join(directory, "run", "spool", "**", "*.spool"), recursive=True)
        t.check(spools, f"no spool is left: {os.listdir(directory)}")
        harm(spools[0])
        result = t.run([t.syncline, "recover", directory])
        t.check(result.status is not None and result.err, f"{harm.__name__}: {result}")
        for path in glob.glob(os.path.join(directory, "rank-*.trace.json*")):
            t.equal(trace_check.check_trace(path), [], harm.__name__)
    kept = t.run([t.syncline, "recover", "--keep-spool", original])
    t.equal(kept.status, 0, f"{kept}")
    spools = sorted(glob.glob(os.path.join(original, "run", "spool", "**", "*.spool"), recursive=True))
    report = t.run([t.syncline, "report", original])
    t.check(spools and b"in no trace" not in report.err, f"{report}")
    t.equal(sorted(glob.glob(os.path.join(original, "run", "spool", "**", "*.spool"), recursive=True)), spools, "spools that were to be kept")
    t.check(t.run([t.syncline, "recover", original]).status == 0, "recover of the original")
    for directory, words in ((t.path("nothing"), ["nothing"]), (t.path("tmp"), ["tmp"])):
        result = t.run([t.syncline, "recover", directory])
        t.equal(result.status, 125, f"{result}")
        t.said(result, *words)


def truncate(path):
    os.truncate(path, os.path.getsize(path) * 2 // 3 + 5)


def flip(path):
    with open(path, "r+b") as file:
        data = bytearray(file.read())
        for _ in range(20):
            data[random.randrange(len(data))] ^= 0x55
        file.seek(0)
        file.write(data)


def empty(path):
    os.truncate(path, 0)


def foreign(path):
    with open(path, "wb") as file:
        file.write(random.randbytes(100000))
