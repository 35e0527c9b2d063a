# SPDX-License-Identifier: Apache-2.0
"""Chosen Python functions are ranges: each thread's begins and ends, in order, are those that the program notes itself, for functions of every
kind, exceptions, generators, coroutines, threads and workers."""

import glob
import json
import os

import interpreters
from syncline_test import ROOT

LABELS = ("python",)
TIMEOUT = 300
PROGRAM = os.path.join(ROOT, "tests", "python_programs", "ranges.py")
PARTS = ("functions", "exceptions", "generators", "coroutines", "threads", "fork", "spawn")
CHOSEN = ["--python-ranges", "*.do_*,__main__.*.forward"]
MODULES = {"do_made": ("made0.do_made", "made1.do_made")}  # in turn


def test(t):
    tried = []
    for version, python in interpreters.found(t):
        if version not in (("3.11", "3.13") if t.mode == "process" else ("3.8", "3.10", "3.11", "3.12", "3.13")):
            continue
        tried.append(version)
        for number, how in enumerate(([], ["-I", "-S", "-E"], ["-X", "dev", "-W", "ignore"])):
            where = t.path(f"truth-{version}-{number}")
            bare = [python, *how, PROGRAM, where, *PARTS]
            recording = t.transparent(bare, CHOSEN)
            compare(t, recording, where, f"Python {version} {how}")
    t.check(tried, "none of the versions is installed")


def compare(t, recording, where, what):
    """The second run, which was recorded, wrote its truth beside that of the first one."""
    t.equal(recording.losses(), {}, what)
    trace = recording.trace()
    ranges = [r for r in trace.ranges() if r.args["domain"] != "py.call"]  # 328_python_calls.py
    processes = {r.pid for r in ranges}
    t.equal(len(processes), 5, f"{what}: processes of the trace")
    compared = 0
    for pid in processes:
        [file] = glob.glob(f"{where}.{pid}")
        for tid, notes in json.load(open(file)).items():
            found = [r for r in ranges if (r.pid, r.tid) == (pid, int(tid))]
            t.equal({(r.args["domain"], r.cat) for r in found}, {("py", "user_annotation")}, what)
            t.equal(sequence(found), named(notes), f"{what}: process {pid}, thread {tid}")
            compared += len(found)
    t.equal(compared, len(ranges), f"{what}: ranges that the program knows")


def sequence(ranges):
    """Begins and ends of ranges that nest, in order."""
    signs, open_ranges = [], []
    for one in ranges:
        while open_ranges and open_ranges[-1].end <= one.begin:
            signs.append("-" + open_ranges.pop().name)
        signs.append("+" + one.name)
        open_ranges.append(one)
    return signs + ["-" + one.name for one in reversed(open_ranges)]


def named(notes):
    made = 0
    signs = []
    for note in notes:
        name = note[1:]
        if name == "do_made":
            signs.append(note[0] + MODULES[name][made // 2 % 2])
            made += 1
        else:
            signs.append(note[0] + "__main__." + name)
    return signs
