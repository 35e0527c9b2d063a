# SPDX-License-Identifier: Apache-2.0
"""Ranges of Python functions stand on the GPU's row for the work that they gave, in the findings around the waits, and choose what is recorded."""

import json
import os
from collections import Counter

import interpreters
from syncline_test import ROOT

LABELS = ("gpu", "python")
PROGRAM = os.path.join(ROOT, "tests", "python_programs", "ranges_gpu.py")
CHOSEN = ["--python-ranges", "__main__.do_*"]


def test(t):
    if not os.environ.get("E2E_GPU") and not os.path.exists(os.path.join(t.gpu_environment()["LD_LIBRARY_PATH"], "libcudart.so.13")):
        t.skip("the simulated GPUs were not built")
    for version, python in interpreters.found(t):
        if version not in ("3.12", "3.13"):
            continue
        recording = t.record([python, PROGRAM], CHOSEN, t.gpu_environment())
        trace = recording.trace()
        t.equal(Counter(r.name for r in trace.gpu_ranges()),
                Counter({"__main__.do_step": 3, "__main__.do_work": 6, "__main__.do_other": 3}), f"{version}: ranges on the GPU")
        around = {wait["call"]: wait["ranges"] for wait in findings(recording)["waits_by_line"]}
        t.equal(around.get("cudaStreamSynchronize"), "__main__.do_step > __main__.do_wait", f"{version}: {around}")
        staged = t.record([python, PROGRAM], [*CHOSEN, "--stages", "*.do_step@py"], t.gpu_environment()).trace()
        t.equal(Counter(staged.names()), Counter({"__main__.do_step": 3, "__main__.do_work": 3, "__main__.do_wait": 3}), f"{version}: stages")
        t.equal(len(staged.device_ops()), 6, f"{version}: work of the stage")


def findings(recording):
    with open(os.path.join(recording.directory, "run", "rank-0.json")) as file:
        return json.load(file)
