# SPDX-License-Identifier: Apache-2.0
"""Both published versions of Holistic Trace Analysis read a Level Zero program's trace: all that does not look for CUDA's launches by name."""

import os

LABELS = ("readers", "gpu")
TIMEOUT = 240
MODES = ("launcher",)
CHECKER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "harness", "check_hta.py")
ANALYSES = ("load", "validate_minimal", "temporal_breakdown", "kernel_breakdown", "idle_time_breakdown", "comm_comp_overlap", "memory_bandwidth",
            "memory_bandwidth_summary", "call_stack")


def test(t):
    t.simulated_only("the simulated driver's program")
    recording = t.record(t.level_zero_program("threads"), env=t.gpu_environment())
    for venv in ("hta", "hta-old"):
        result = t.run([t.venv(venv), CHECKER, recording.directory, *ANALYSES], {"HTA_DISABLE_NS_ROUNDING": "1"}, timeout=100)
        t.equal(result.status, 0, f"{venv}: {result}")
