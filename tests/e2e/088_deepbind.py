# SPDX-License-Identifier: Apache-2.0
"""Libraries that are opened with RTLD_DEEPBIND pass the preloaded library by: their NVTX ranges and CUDA's work come through the vendors' own
doors. Of Level Zero's loader and of one that uses CUPTI itself the user is told."""

import os
import subprocess
import sys

from syncline_test import ROOT

LABELS = ("gpu",)
PROGRAM = os.path.join(ROOT, "tests", "python_programs", "deepbind.py")


def test(t):
    t.simulated_only("the client is one of the simulated CUPTI")
    gpu = t.gpu_environment()
    client = os.path.join(t.build, "tests", "liblinked_client.so")
    if not os.path.exists(client) or not os.path.exists(os.path.join(gpu["LD_LIBRARY_PATH"], "libcudart.so.13")):
        t.skip("the simulated GPUs were not built")
    program = [sys.executable, PROGRAM, t.victim("libnvtx_user.so"), client]
    alone = t.run(program, gpu)
    t.need_library("libze_loader.so.1")
    t.equal(alone.out, b"answer 0\n", f"{alone}")
    recording = t.record(program, env=gpu)
    t.equal((recording.status, recording.out), (0, b"answer 39\n"), f"{recording}")
    trace = recording.trace()
    t.equal(sorted(r.name for r in trace.ranges()), ["library static initialiser", "user_work"], "ranges")
    t.equal(len(trace.device_ops()), 3, "memsets")
    t.equal(sum(call.name == "cudaMemset" for call in trace.calls()), 3, "calls")
    lost = {line for line in recording.manifest()["processes"][0]["log"].splitlines() if " not recorded by " in line}
    t.equal(len(lost), 2, f"{lost}")
    t.check(any("Level Zero: calls and GPU work were not recorded by Syncline: the loader was opened with RTLD_DEEPBIND" in line for line in lost), f"{lost}")
    report = subprocess.run([t.syncline, "report", recording.directory], capture_output=True, text=True).stdout
    t.check("Level Zero: calls and GPU work were not recorded by Syncline" in " ".join(report.split()), report)
    t.said(recording, "the gpu work that liblinked_client.so wanted to see itself was not recorded by it")
