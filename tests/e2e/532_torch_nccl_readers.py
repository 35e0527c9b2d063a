# SPDX-License-Identifier: Apache-2.0
"""Both published versions of HTA pass every analysis that GPU rows feed on the traces of the ranks of an NCCL job. What they say of times
per rank (computation, communication, their overlap, copies, idle, each kernel) is what the truth files say, and the rank that was
late is late by HTA too (under the names of NCCL and of steps that HTA knows: see hta_against_truth.py). Perfetto and Catapult show all
of them."""

import os

import torchrun

HARNESS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "harness")
LABELS = ("readers", "gpu", "torch")
TIMEOUT = 480
MODES = ("launcher",)
RANKS, LATE = 2, 1
# Kernels that outlast the host's own time run beside the collectives. HTA leaves out a collective that is shorter than a hundredth of a step: on a
# machine whose steps take up to 4 s (1.5 s where this was written) 40 ms are enough. The rank is so late that on a busy machine the other rank is not later
# still; HTA leaves out the first step and counts in which of the other three a rank was last, so one bad moment does not decide.
ENVIRONMENT = {"SIMGPU_FAULT": f"nccl_late={LATE}:120", "SIMGPU_DURATIONS": "*nccl*=40ms,*=300us"}
STEPS = "4"


def test(t):
    t.need_gpus(4)
    env = t.torch_environment(ENVIRONMENT)
    recording = torchrun.record(t, "fsdp", RANKS, STEPS, env=env)
    t.equal(recording.ranks(), list(range(RANKS)), f"traces: {recording}")
    truths = [t.truth(recording.trace(rank), env) for rank in range(RANKS)]
    for name in ("hta", "hta-old"):
        for script, arguments in (("check_hta.py", [recording.directory, "gpu"]),
                                  ("hta_against_truth.py", ["--late", str(LATE), recording.directory, *truths])):
            command = [t.venv(name), os.path.join(HARNESS, script), *arguments]
            result = t.run(command, {"HTA_DISABLE_NS_ROUNDING": "1"}, timeout=150)
            t.equal(result.status, 0, f"{name}: {result}")
            t.check(script != "check_hta.py" or b"comm_comp_overlap: ok (2 rows)" in result.out, f"{name}: {result}")
    paths = [recording.trace(rank).path for rank in range(RANKS)]
    result = t.run([t.venv("viewers"), os.path.join(HARNESS, "shot_perfetto.py"), *paths, "--check"], {"HOME": t.directory}, timeout=200)
    t.equal(result.status, 0, f"{result}")
