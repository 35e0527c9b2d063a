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
    for program, options in (("training", ()), ("inference", ()), ("inference", ("--cuda-graphs", "node"))):
        recording, _ = t.record_torch(program, options=options)
        for name in ("hta", "hta-old"):
            checker = os.path.join(HARNESS, "check_hta.py")
            result = t.run([t.venv(name), checker, recording.directory, "gpu"], ROUNDING, timeout=100)
            t.equal(result.status, 0, f"{program}, {name}: {result}")
        shot = os.path.join(HARNESS, "shot_perfetto.py")
        result = t.run([t.venv("viewers"), shot, recording.trace().path, "--check"], {"HOME": t.directory}, timeout=100)
        t.equal(result.status, 0, f"{program}: {result}")
