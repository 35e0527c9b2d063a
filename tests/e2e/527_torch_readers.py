# SPDX-License-Identifier: Apache-2.0
"""Both published versions of HTA pass every analysis that GPU rows feed on traces of PyTorch's, and Perfetto and Catapult show all of
them."""

import os

HARNESS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "harness")
LABELS = ("readers", "gpu", "torch")
TIMEOUT = 400
MODES = ("launcher",)
ROUNDING = {"HTA_DISABLE_NS_ROUNDING": "1"}


def test(t):
    runs = (("training", ()), ("inference", ()), ("inference", ("--cuda-graphs", "node")))
    recordings = [t.record_torch(program, options=options)[0] for program, options in runs]
    for name in ("hta", "hta-old"):
        checker = os.path.join(HARNESS, "check_hta.py")
        result = t.run([t.venv(name), checker, *(recording.directory for recording in recordings), "gpu"], ROUNDING, timeout=200)
        t.equal(result.status, 0, f"{name}: {result}")
    command = [t.venv("viewers"), os.path.join(HARNESS, "shot_perfetto.py"), *(recording.trace().path for recording in recordings), "--check"]
    result = t.run(command, {"HOME": t.directory}, timeout=200)
    t.equal(result.status, 0, f"{result}")
