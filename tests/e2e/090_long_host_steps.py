# SPDX-License-Identifier: Apache-2.0
"""A step without a GPU that takes longer names the range in it that did, or says that none did."""

import json

LABELS = ("python",)
MODES = ("launcher",)
# By number of the step: what it sleeps in, 60 ms longer than the others.
LONG = {9: "in `load`", 19: "in `parse`", 30: "in no recorded call"}


def test(t):
    recording = t.record([t.venv("torch"), t.victim("long_host_steps.py")])
    report = json.loads(t.run([t.syncline, "report", recording.directory, "--format", "json"]).out)
    (steps,) = report["steps"]
    t.equal(steps["count"], 40)
    t.equal(steps["name"], "step #/#")
    outliers = {row["number"]: row for row in steps["outliers"]}
    for number, words in LONG.items():
        row = outliers.get(number)
        t.check(row is not None, f"step {number} of {sorted(outliers)}")
        t.equal(row["longer_by"], words, f"step {number}")
        t.equal(row["name"], f"step {number}/40", "as the program wrote it")
        t.check(45 < row["longer_by_ms"] < 1.5 * row["duration_ms"], f"{row}")
        t.check(row["view"].startswith("--rank 0 --at "), f"{row}")
    text = t.run([t.syncline, "report", recording.directory]).out.decode()
    t.check(" more in `" in text or " more in no recorded call" in text, text)
