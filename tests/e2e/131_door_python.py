# SPDX-License-Identifier: Apache-2.0
"""`import syncline` in a program: nothing is loaded without Syncline; with it regions and their labels, also of tasks that take turns."""

import os
import shutil
from collections import Counter

import interpreters
from syncline_test import ROOT

LABELS = ("python",)
PROGRAM = os.path.join(ROOT, "tests", "python_programs", "door.py")
NAMES = {"outer": 1, "step 1": 1, "decorated": 2, "failing": 1, "labels": 1, "request": 4, "awaited": 4}


def test(t):
    place = t.path("site")
    shutil.copytree(os.path.join(ROOT, "packaging", "wheel"), os.path.join(place, "syncline"))
    env = {"PYTHONPATH": place}
    for version, python in interpreters.found(t):
        alone = t.run([python, PROGRAM], env=env)
        t.equal(alone.out.decode(), "2 [1, 2, 3, 4] decorated False False False none False\nNone\n", f"{version}: {alone}")
        recorded(t, version, python, env)


def recorded(t, version, python, env):
    recording = t.record([python, PROGRAM], ["--gate", "program"], env=env)
    t.equal(recording.out.decode(), f"2 [1, 2, 3, 4] decorated True False True True True\n{recording.directory}\n", f"{version}: {recording}")
    trace = recording.trace()
    found = Counter(name if not name.startswith("long") else "long" for name in trace.names())
    t.equal(found, Counter({**NAMES, "long": 1}), version)
    [one] = trace.ranges(name="labels")
    t.equal(one.args["payload"], {"whole": 7, "negative": -1, "real": 0.25, "text": "a é\n", "yes": 1, "none": "None", "large": str(2**70), "odd": "Odd"}, version)
    [long] = [r for r in trace.ranges() if r.name.startswith("long")]
    t.equal((len(long.name), long.args["payload"]), (4096, {"text": "y" * 255}), version)
    requests = trace.ranges(name="request")
    t.equal(sorted(r.args["payload"]["number"] for r in requests), [0, 1, 2, 3], version)
    t.equal(len({r.tid for r in requests}), 4, f"{version}: requests overlap, each on a row of its own")
    t.check(max(r.begin for r in requests) < min(r.end for r in requests), f"{version}: {requests}")
    t.equal(Counter(r.args["payload"]["kind"] for r in trace.ranges() if r.name in ("decorated", "awaited")), Counter(function=2, coroutine=4), version)
    t.equal(trace.paths(name="step 1"), ["step 1"], version)
