# SPDX-License-Identifier: Apache-2.0
"""Holistic Trace Analysis finds the shapes, types and strides of --torch shapes where it looks for torch.profiler's."""

import ast
import json
import os

LABELS = ("torch", "readers")
MODES = ("launcher",)
TIMEOUT = 120


def test(t):
    t.simulated_only()
    recording = t.record([*t.torch_program("small_training"), "3", "cuda"], ["--torch", "shapes"], t.torch_environment())
    trace = recording.trace()
    ours = sorted([op.name, op.args["Input Dims"], op.args["Input type"], op.args["Input Strides"]] for op in trace.operators() if "Input Dims" in op.args)
    script = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "harness", "hta_inputs.py")
    done = t.run([t.venv("hta"), "-W", "ignore", script, os.path.join(recording.directory, "rank-0.trace.json.gz")])
    t.equal(done.ending, "status 0", f"{done}")
    found = json.loads(done.out.splitlines()[-1])
    t.check(len(ours) > 300, f"{len(ours)} operators")
    t.equal(sorted([name, *map(ast.literal_eval, values)] for name, *values in found), ours, "what HTA finds")
