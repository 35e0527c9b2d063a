# SPDX-License-Identifier: Apache-2.0
"""Names that count are one row, and give steps; what is numbered keeps its names."""

import json

LABELS = ()
STAGES = {
    "epoch #": 5,
    "batch #/#": 200,
    "Iteration(#): loss #": 30,
    "free 0x#": 30,
    "request #": 3,
    "layer 1": 200,
    "layer 2": 200,
    "conv1": 100,
    "conv2": 100,
    "step1_load": 1,
    "step2_train": 1,
    "h2d": 1,
    "step 1: read": 1,
}


def test(t):
    recording = t.record([t.victim("counters")])
    told = json.loads(t.run([t.syncline, "report", recording.directory, "--format", "json"]).out)
    t.equal({row["name"]: row["count"] for row in told["stages"]}, STAGES, "stages")
    t.equal({row["name"]: row["count"] for row in told["steps"]}, {"batch #/#": 200, "Iteration(#): loss #": 30}, "steps")
