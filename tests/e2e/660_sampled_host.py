# SPDX-License-Identifier: Apache-2.0
"""--sample: while the GPU had nothing to do, the host was where the program says, within 5 points, in every version of Python; who held Python's
lock is told. Without the option nothing is sampled."""

import glob
import json
import os

import interpreters
from syncline_test import ROOT

MODES = ("launcher",)
LABELS = ("gpu", "python")
TIMEOUT = 120
POINTS = 0.05
PROGRAM = os.path.join(ROOT, "tests", "python_programs", "sampled_host.py")


def test(t):
    t.simulated_only()
    for version, python in interpreters.found(t):
        apart(t, version, python)
    lock(t, *interpreters.found(t)[0])
    recording = t.record([interpreters.found(t)[0][1], PROGRAM, t.path("unsampled"), "apart", "0.2"], env=t.gpu_environment())
    t.equal(glob.glob(f"{recording.directory}/run/*.samples"), [], "files of samples without --sample")
    t.check("host_work" not in report(t, recording), "rows without --sample")


def report(t, recording):
    return json.loads(t.run([t.syncline, "report", "--no-files", "--format", "json", recording.directory]).out)


def record(t, python, case, seconds):
    truth = t.path(f"truth-{case}")
    recording = t.record([python, PROGRAM, truth, case, seconds], ["--sample=500"], env=t.gpu_environment())
    t.equal((recording.ending, recording.err), ("status 0", b""), f"{python} {case}")
    t.equal(len(glob.glob(f"{recording.directory}/run/*.samples")), 1, "files of samples")
    return recording, report(t, recording), json.load(open(truth))


def name_of(row):
    return row["function"].split()[-1]


def share(rows, wanted):
    return sum(row["samples"] for row in rows if wanted(row)) / sum(row["samples"] for row in rows)


def near(t, found, wanted, what):
    t.check(abs(found - wanted) <= POINTS, f"{what}: {found:.3f} of the samples, {wanted:.3f} of the time")


def apart(t, version, python):
    recording, told, truth = record(t, python, "apart", "1.5")
    rows = told["host_work"]
    t.check(sum(row["samples"] for row in rows) > 400, f"Python {version}: {rows}")
    whole = sum(spent for spent, _ in truth.values())
    for function, (spent, _) in truth.items():
        if function == "launch":
            continue  # a part of it is the GPU's
        near(t, share(rows, lambda row: name_of(row) == f"{function}()"), spent / whole, f"Python {version}: {function}")
    blocked = [row for row in rows if row["activity"] == "blocked" and name_of(row) == "fetch()"]
    t.check(len(blocked) == 1 and blocked[0]["what"] in ("clock_nanosleep", "pselect6", "select"), f"Python {version}: {rows}")
    t.check(blocked[0]["line"].endswith("sampled_host.py:33 fetch()"), f"Python {version}: {blocked}")


def lock(t, version, python):
    """Half of the time the lock is another thread's, as the processor time of both says."""
    recording, told, truth = record(t, python, "gil", "3")
    rows = told["host_work"]
    waited = 1 - sum(ran for _, ran in truth.values()) / sum(spent for spent, _ in truth.values())
    t.check(waited > 0.3, f"{truth}")
    found = share(rows, lambda row: row["activity"] != "running")
    near(t, found, waited, f"Python {version}: waits for the lock")
    holders = [row for row in rows if row["activity"] == "gil"]
    known = [row for row in holders if row["what"].endswith("log_metrics()")]
    t.check(share(rows, lambda row: row in known) > 0.2, f"Python {version}: {rows}")
    t.check(share(holders, lambda row: row in known) > 0.8, f"Python {version}: {holders}")
    text = t.run([t.syncline, "report", "--no-files", recording.directory]).out.decode()
    t.check("waiting for the GIL held by" in " ".join(text.split()), text)
