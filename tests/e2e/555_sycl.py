# SPDX-License-Identifier: Apache-2.0
"""A SYCL program in Python ends as it does bare, and each of its kernels, copies, fills and waits is in the trace once, with both adapters
of the SYCL runtime: Intel's driver makes the second one's events by a function of its own."""

import os

from level_zero_truth import Comparison

LABELS = ("gpu",)
TIMEOUT = 300
# Lists executed on queues, immediate lists (as for newer GPUs), and the second adapter.
WAYS = ({}, {"UR_L0_USE_IMMEDIATE_COMMANDLISTS": "1"}, {"UR_LOADER_USE_LEVEL_ZERO_V2": "1"})
NEEDED = "import ctypes; ctypes.CDLL('libze_loader.so.1').zeDeviceGetRootDevice"  # of loaders of API 1.7


def test(t):
    t.simulated_only("a real GPU writes no truth file")
    python = t.venv("sycl")
    t.level_zero_program("immediate")  # there is a driver
    folders = [t.gpu_environment()["LD_LIBRARY_PATH"], *os.environ.get("E2E_ZE_LOADER", "").split()]
    env = {"LD_LIBRARY_PATH": ":".join(folders), "ONEAPI_DEVICE_SELECTOR": "level_zero:*", "SIMGPU_TRUTH": t.path("%p.truth")}
    if t.run([python, "-c", NEEDED], env).status != 0:
        t.skip("SYCL's runtime needs a Level Zero loader of API 1.7, and libze1 is older; E2E_ZE_LOADER names the folder of another one")
    program = [python, "-W", "ignore", t.victim("sycl_steps.py")]
    for way in WAYS:
        recording = t.transparent(program, env={**env, **way}, timeout=100)
        t.equal((recording.status, recording.out.count(b"() True")), (0, 2), f"{way}: {recording}")
        t.equal(recording.losses(), {}, f"{way}")
        trace = recording.trace()
        compared = Comparison(trace.path, t.truth(trace, env))
        t.equal(compared.faults, [], f"{way}")
        t.check(compared.matched > 40, f"{way}: {compared.matched} operations")
