# SPDX-License-Identifier: Apache-2.0
"""No wait is told in a line of code that was dropped and had its code's address, name and size, in every version."""

import os
import runpy

import interpreters
from syncline_test import ROOT

LABELS = ("gpu", "python")
MODES = ("launcher",)
TIMEOUT = 300
PROGRAM = os.path.join(ROOT, "tests", "python_programs", "reused_code.py")
COUNT = 20000


def test(t):
    if not os.environ.get("E2E_GPU") and not os.path.exists(os.path.join(t.gpu_environment()["LD_LIBRARY_PATH"], "libcudart.so.13")):
        t.skip("the simulated GPUs were not built")
    wanted = runpy.run_path(PROGRAM)["lines"](COUNT)
    for version, python in interpreters.found(t):
        recording = t.record([python, PROGRAM, str(COUNT)], ["--no-stack-native"], env=t.gpu_environment())
        t.equal((recording.ending, recording.losses()), ("status 0", {}), f"Python {version}: {recording}")
        places, watched = recording.out.split()
        t.check(int(places) < COUNT // 10 and watched == b"True", f"Python {version}: {recording.out}")
        calls = sorted(recording.trace().calls(name="cudaDeviceSynchronize"), key=lambda call: call.begin)
        found = [call.args["where"] for call in calls]
        t.equal(len(found), COUNT, f"Python {version}: waits")
        for number, (where, (path, line)) in enumerate(zip(found, wanted)):
            t.equal(where, f"{path}:{line} same()", f"Python {version}: wait {number}")
