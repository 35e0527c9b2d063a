# SPDX-License-Identifier: Apache-2.0
"""A library that finds CUPTI by dlsym: a profiler that is known by its name gets CUPTI, as without Syncline; of another one the user is
told that CUPTI refused it, and what to do."""

import json
import os
import subprocess
import sys

from syncline_test import ROOT

LABELS = ("gpu",)
PROGRAM = os.path.join(ROOT, "tests", "python_programs", "hidden_client.py")
REFUSED = "the GPU work that {} wanted to see itself was not recorded by it"


def test(t):
    t.simulated_only("the clients are those of the simulated CUPTI")
    gpu = t.gpu_environment()
    hidden, proton = (os.path.join(t.build, "tests", f"lib{name}.so") for name in ("hidden_client", "proton"))
    if not os.path.exists(hidden) or not os.path.exists(os.path.join(gpu["LD_LIBRARY_PATH"], "libcudart.so.13")):
        t.skip("the simulated GPUs were not built")
    alone = t.run([sys.executable, PROGRAM, hidden, "early"], gpu)
    t.equal(alone.out, b"answer 0 calls True\n", f"{alone}")
    for when in ("early", "late"):
        known = t.record([sys.executable, PROGRAM, proton, when], env=gpu)
        t.equal((known.status, known.out), (0, alone.out), f"{when}: {known}")
        t.said(known, "gpu work will not be recorded", "triton's proton")
        least, most = {"early": (0, 0), "late": (3, 6)}[when]
        t.check(least <= len(known.trace().device_ops()) <= most, f"{when}: work that was recorded: {known}")
    refused = t.record([sys.executable, PROGRAM, hidden, "early"], env=gpu)
    t.equal((refused.status, refused.out), (0, b"answer 39 calls False\n"), f"{refused}")
    t.said(refused, REFUSED.format("libhidden_client.so").lower(), "--collect nvtx")
    t.equal(len(refused.trace().device_ops()), 6, f"{refused}")
    report = subprocess.run([t.syncline, "report", refused.directory], capture_output=True, text=True).stdout
    t.check(REFUSED.format("libhidden_client.so") in " ".join(report.split()), report)
    with open(os.path.join(refused.directory, "run", "rank-0.json")) as file:
        t.check(REFUSED.format("libhidden_client.so") in json.load(file)["processes"][0]["log"], "the manifest")
    # Who only takes the records is refused nothing: then ours are missing.
    takes = t.record([sys.executable, PROGRAM, hidden, "takes"], env=gpu, complete=False)
    t.equal((takes.status, takes.out), (0, b"answer 0\n"), f"{takes}")
    t.said(takes, REFUSED.format("libhidden_client.so").lower(), "missing in the trace")
    silent = t.record([sys.executable, PROGRAM, hidden, "never"], env=gpu)
    t.check(not [line for line in silent.said if "libhidden_client" in line], f"who asks for nothing is not told of: {silent}")
    left = t.record([sys.executable, PROGRAM, hidden, "early"], options=["--collect", "nvtx"], env=gpu, complete=False)
    t.equal(left.out, alone.out, f"the remedy: {left}")
