# SPDX-License-Identifier: Apache-2.0
"""report/io_signature.json has what goes in and out of each function that --python-ranges names, once for each form: as the program notes it
itself, whatever the version of Python, also where the program is killed in the middle of two of them."""

import json
import os

import interpreters
from syncline_test import ROOT

LABELS = ("python",)
TIMEOUT = 300
PROGRAM = os.path.join(ROOT, "tests", "python_programs", "signed_calls.py")
CHOSEN = ["--signatures", "--python-ranges", "__main__.*do_*"]


def test(t):
    for version, python in interpreters.found(t):
        if t.mode == "process" and version not in ("3.11", "3.13"):
            continue
        for how in ([], ["killed"]) if t.mode == "launcher" and version in ("3.8", "3.11", "3.13") else ([],):
            where = t.path(f"truth-{version}-{len(how)}")
            recording = t.record([python, PROGRAM, where, *how], CHOSEN)
            compare(t, recording, json.load(open(where)), f"Python {version} {how}")


def compare(t, recording, truth, what):
    t.equal(recording.losses(), {}, what)
    with open(os.path.join(recording.directory, "report", "io_signature.json")) as file:
        told = json.load(file)
    t.equal(told["schema"], "syncline.io_signature/1", what)
    found = {one["name"].removeprefix("__main__."): one for one in told["functions"] if "<lambda>" not in one["name"]}
    t.equal(sorted(found), sorted(truth), f"{what}: functions")
    for name, calls in truth.items():
        mine = [{k: v for k, v in call.items() if k != "first_call_ms"} for call in found[name]["signatures"]]
        t.equal(mine, calls, f"{what}: {name}")
        t.equal(found[name]["domain"], "py.call" if name in ("do_wait", "do_hang") else "py", f"{what}: {name}")
