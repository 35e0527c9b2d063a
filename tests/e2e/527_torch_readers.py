# SPDX-License-Identifier: Apache-2.0
"""Both published versions of HTA pass the analyses that GPU rows feed on traces of PyTorch's, and Perfetto and Catapult show all of
them."""

import os

HARNESS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "harness")
LABELS = ("readers", "gpu", "torch")
TIMEOUT = 400
MODES = ("launcher",)
ROUNDING = {"HTA_DISABLE_NS_ROUNDING": "1"}
# Not frequent_kernel_sequences: it finds nothing of a range that is shown on the GPU too, as all of these are.
ANALYSES = ("temporal_breakdown", "kernel_breakdown", "idle_time_breakdown", "comm_comp_overlap", "queue_length",
            "queue_length_summary", "memory_bandwidth", "memory_bandwidth_summary", "kernel_launch_stats", "critical_path",
            "kernels_with_user_annotations", "gpu_user_annotation_breakdown")


def test(t):
    for program, options in (("training", ()), ("inference", ()), ("inference", ("--cuda-graphs", "node"))):
        recording, _ = t.record_torch(program, options=options)
        for name in ("hta", "hta-old"):
            checker = os.path.join(HARNESS, "check_hta.py")
            result = t.run([t.venv(name), checker, recording.directory, *ANALYSES], ROUNDING, timeout=100)
            t.equal(result.status, 0, f"{program}, {name}: {result}")
        shot = os.path.join(HARNESS, "shot_perfetto.py")
        result = t.run([t.venv("viewers"), shot, recording.trace().path, "--check"], {"HOME": t.directory}, timeout=100)
        t.equal(result.status, 0, f"{program}: {result}")
