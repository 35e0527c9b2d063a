# SPDX-License-Identifier: Apache-2.0
"""syncline.flush(): what the device has done is kept though the program is killed in the next moment."""

import os
import shutil

import interpreters
from syncline_test import ROOT

LABELS = ("gpu", "python")
PROGRAM = os.path.join(ROOT, "tests", "python_programs", "door_flush.py")


def test(t):
    if not os.environ.get("E2E_GPU") and not os.path.exists(os.path.join(t.gpu_environment()["LD_LIBRARY_PATH"], "libcudart.so.13")):
        t.skip("the simulated GPUs were not built")
    place = t.path("site")
    shutil.copytree(os.path.join(ROOT, "packaging", "wheel"), os.path.join(place, "syncline"))
    env = {**t.gpu_environment(), "PYTHONPATH": place}
    python = interpreters.found(t)[-1][1]
    done = {}
    for arguments in (["flush"], []):
        recording = t.record([python, PROGRAM, *arguments], env=env, killed=True)
        t.equal(recording.ending, "signal 9", f"{recording}")
        trace = recording.trace()
        t.equal([r.args["payload"] for r in trace.ranges(name="work")], [{"times": 40}], f"{recording}")
        done[bool(arguments)] = len(trace.device_ops())
    t.equal(done[True], 40, "with a flush")
    print(f"kept without a flush: {done[False]} of 40")
