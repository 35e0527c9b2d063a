# SPDX-License-Identifier: Apache-2.0
"""Both published versions of HTA pass every analysis that GPU rows feed on the traces of the ranks of an NCCL job, and see its
communication."""

import os

import torchrun

CHECKER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "harness", "check_hta.py")
LABELS = ("readers", "gpu", "torch")
TIMEOUT = 480
MODES = ("launcher",)
RANKS = 2


def test(t):
    recording = torchrun.record(t, "fsdp", RANKS, "3", env=t.torch_environment({"SIMGPU_FAULT": "nccl_late=1:2"}))
    t.equal(recording.ranks(), list(range(RANKS)), f"traces: {recording}")
    for name in ("hta", "hta-old"):
        result = t.run([t.venv(name), CHECKER, recording.directory, "gpu"], {"HTA_DISABLE_NS_ROUNDING": "1"}, timeout=150)
        t.equal(result.status, 0, f"{name}: {result}")
        t.check(b"comm_comp_overlap: ok (2 rows)" in result.out, f"{name}: {result}")
