# SPDX-License-Identifier: Apache-2.0
"""Arguments that are tensors label calls by their dtype and shape: of calls on a GPU and without one, of one that a kill ends, of coroutines,
of tensors of the program's own class, whose code does not run."""

import json
import os

from syncline_test import ROOT

LABELS = ("torch", "gpu")
TIMEOUT = 120
MODES = ("launcher",)
PROGRAM = os.path.join(ROOT, "tests", "python_programs", "tensor_labels.py")
CHOSEN = "__main__.forward(ids, mask), __main__.nested(batch.ids), __main__.stream(a, b, c, d, e, f, g, h), __main__.last(ids)"


def test(t):
    t.simulated_only()
    for environment, device in (("torch", "cpu"), ("torch-cuda", "cuda")):
        where = t.path(f"truth-{device}")
        recording = t.record([t.venv(environment), "-W", "ignore", PROGRAM, where, device], ["--python-ranges", CHOSEN], t.torch_environment())
        t.equal(recording.ending, "signal 9", f"{recording}")
        told = json.loads(t.run([t.syncline, "report", recording.directory, "--format", "json", "--no-files"]).out)
        rows = {f"{row['label']} {row['value']} {row['name'].removeprefix('__main__.')}": row["count"] for row in told["labels"]}
        with open(where) as file:
            t.equal(rows, json.load(file), device)
        stretches = [r for r in recording.trace().ranges(name="__main__.stream") if r.args["domain"] == "py"]
        t.equal([len(r.args["labels"]) for r in stretches], [8, 8], f"{device}: each stretch has the call's labels")
