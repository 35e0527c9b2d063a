# SPDX-License-Identifier: Apache-2.0
"""`import syncline` in a program: nothing is loaded without Syncline; with it regions and their labels, also of tasks that take turns, and
the program sees nothing of it."""

import json
import os
import shutil
from collections import Counter

import interpreters
from syncline_test import ROOT

LABELS = ("python",)
PROGRAM = os.path.join(ROOT, "tests", "python_programs", "door.py")
UNSEEN = os.path.join(ROOT, "tests", "python_programs", "door_unseen.py")
NAMES = {"outer": 1, "step 1": 1, "decorated": 2, "failing": 1, "labels": 1, "request": 4, "awaited": 4}


def test(t):
    place = t.path("site")
    shutil.copytree(os.path.join(ROOT, "packaging", "wheel"), os.path.join(place, "syncline"))
    env = {"PYTHONPATH": place}
    for version, python in interpreters.found(t):
        alone = t.run([python, PROGRAM], env=env)
        t.equal(alone.out.decode(), "2 [1, 2, 3, 4] decorated False False False False False\nNone\n", f"{version}: {alone}")
        recorded(t, version, python, env)
        unseen(t, version, python, env)


def recorded(t, version, python, env):
    recording = t.record([python, PROGRAM], ["--gate", "program"], env=env)
    t.equal(recording.out.decode(), f"2 [1, 2, 3, 4] decorated True False True True True\n{recording.directory}\n", f"{version}: {recording}")
    trace = recording.trace()
    found = Counter(name if not name.startswith("long") else "long" for name in trace.names())
    t.equal(found, Counter({**NAMES, "long": 1}), version)
    [one] = trace.ranges(name="labels")
    t.equal(one.args["payload"], {"whole": 7, "negative": -1, "real": 0.25, "text": "a é\n", "yes": 1, "none": "None", "large": str(2**70), "odd": "Odd", "a\nkey": 2}, version)
    [long] = [r for r in trace.ranges() if r.name.startswith("long")]
    t.equal((len(long.name), long.args["payload"]), (4096, {"text": "y" * 255}), version)
    requests = trace.ranges(name="request")
    t.equal(sorted(r.args["payload"]["number"] for r in requests), [0, 1, 2, 3], version)
    t.equal(len({r.tid for r in requests}), 4, f"{version}: requests overlap, each on a row of its own")
    t.check(max(r.begin for r in requests) < min(r.end for r in requests), f"{version}: {requests}")
    t.equal(Counter(r.args["payload"]["kind"] for r in trace.ranges() if r.name in ("decorated", "awaited")), Counter(function=2, coroutine=4), version)
    t.equal(trace.paths(name="step 1"), ["step 1"], version)
    reported(t, version, recording)


def reported(t, version, recording):
    """The report adds up by labels of regions: of functions, of coroutines, of texts and numbers of each kind."""
    told = json.loads(t.run([t.syncline, "report", recording.directory, "--format", "json", "--no-files"]).out)
    rows = {(row["label"], row["value"], row["name"]): row["count"] for row in told["labels"] if len(row["value"]) < 200}
    of_one = {"whole": "7", "negative": "-1", "real": "0.25", "text": "a é\n", "yes": "1", "none": "None", "large": str(2**70), "odd": "Odd", "a\nkey": "2"}
    true = {(label, value, "labels"): 1 for label, value in of_one.items()}
    true |= {("number", str(i), "request"): 1 for i in range(4)}
    true |= {("kind", "function", "decorated"): 2, ("kind", "coroutine", "awaited"): 4}
    t.equal(rows, true, version)
    by = t.run([t.syncline, "report", recording.directory, "--by", "kind", "--no-files"]).out.decode()
    missing = t.run([t.syncline, "report", recording.directory, "--by", "nothing", "--no-files"]).err.decode()
    t.check(missing.startswith("syncline: --by: no range has a label nothing. There are: ") and missing.count("\n") == 1 and "a?key" in missing, f"{version}: {missing}")
    t.check("coroutine" in by and "function" in by, f"{version}: {by}")


def unseen(t, version, python, env):
    """The program prints the same in both ways: not an error more, nothing of it ran or lives on, functions are of their kind."""
    alone = t.run([python, UNSEEN], env=env)
    recording = t.record([python, UNSEEN], env=env)
    t.equal((recording.ending, recording.out.decode()), (alone.ending, alone.out.decode()), f"{version}: {recording}")
    t.equal(alone.out.decode()[:12], "[] None 0 Fa", f"{version}: {alone}")
    trace = recording.trace()
    [one] = trace.ranges(name="values")
    t.equal(one.args["payload"], {"text": "a", "number": 5, "large": str(2**70), "real": 0.5, "lazy": "Lazy", "endless": "int", "key": 1}, version)
    t.equal({name for name in ("text as a name", "77", "Lazy", "?", "None", "int") if not trace.ranges(name=name)}, set(), version)
    found = Counter(trace.names())
    t.equal((found["generator"], found["coroutine"], found["static"], found["generator of tasks"]), (5, 1, 1, 0), version)
    several = trace.ranges(name="generator")[2:]
    t.check(max(r.begin for r in several) < min(r.end for r in several), f"{version}: generators overlap {several}")
