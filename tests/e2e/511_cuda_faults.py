# SPDX-License-Identifier: Apache-2.0
"""A CUPTI that refuses, drops, lies, hangs or is missing: the program ends as it does bare, what is left is recorded, and
one line says what is not."""

import os
import shutil

from gpu_truth import Comparison

LABELS = ("gpu",)
TIMEOUT = 300
REFUSED = ("subscribe=39", "subscribe=35", "subscribe=15", "subscribe=999", "other_subscriber=nsys")
HARMLESS = ("subscribe_slow=30", "out_of_order", "null_buffer", "timestamp_callback", "clock_step=5000:2",
            "clock_step=-5000:2")
BAD_TIMES = {"zero_timestamps": "gpu_unfinished", "backward_timestamps": "cupti_garbage"}


def run(t, fault, program="streams", **more):
    """The recording under a fault, its truth file, and how many kernels there were."""
    truth = t.path(f"{fault}.truth")
    gpu = {**t.gpu_environment(), "SIMGPU_FAULT": fault, **more}
    bare = t.run([t.cuda_program(program)], gpu)
    recording = t.record([t.cuda_program(program)], env={**gpu, "SIMGPU_TRUTH": truth})
    t.equal((recording.status, recording.out), (bare.status, bare.out), fault)
    return recording, truth


def test(t):
    t.simulated_only("a real GPU has no faults on demand")
    for fault in REFUSED:
        recording, _ = run(t, fault)
        number = fault.split("=")[1] if fault.startswith("subscribe") else "39"
        t.said(recording, "gpu work will not be recorded", f"cuptisubscribe answered {number} ")
        t.equal(recording.manifest()["device_ops"], 0, fault)
    for fault in HARMLESS:
        recording, truth = run(t, fault)
        t.equal(Comparison(recording.trace().path, truth).faults, [], fault)
        t.equal(recording.losses(), {}, fault)
    recording, truth = run(t, "garbage")
    t.equal(Comparison(recording.trace().path, truth).faults, [], "garbage")
    t.check(recording.losses()["cupti_garbage"] > 0, f"{recording}")
    for fault, loss in BAD_TIMES.items():
        recording, truth = run(t, fault)
        t.equal(recording.trace().device_ops(cat="kernel"), [], fault)
        t.equal(recording.losses()[loss], 12, fault)
    recording, truth = run(t, "dropped=3")
    found = recording.manifest()["device_ops"], recording.losses()["cupti_dropped"]
    t.check(found[0] > 0 and found[1] > 0, f"dropped: {found}")
    recording, _ = run(t, "activity_enable=35:10")  # kernels
    t.said(recording, "kernels will not be recorded", "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES")
    t.check(recording.manifest()["calls"] > 20, f"{recording.manifest()['calls']} calls")
    recording, _ = run(t, "flush_hangs")
    t.equal(recording.losses(), {"cupti_flush": 1}, "flush_hangs")
    missing(t)


def missing(t):
    """No libcupti at all."""
    folder = t.path("no-cupti")
    shutil.copytree(t.gpu_environment()["LD_LIBRARY_PATH"], folder, ignore=shutil.ignore_patterns("libcupti*"), symlinks=True)
    gpu = {"LD_LIBRARY_PATH": folder, "CUDA_HOME": "/nowhere", "CUDA_PATH": "/nowhere"}
    if any(os.path.exists(f"/usr/local/cuda/{sub}/libcupti.so.13") for sub in ("lib64", "extras/CUPTI/lib64")):
        return  # that one is found, and refuses: the simulated driver is not its own
    recording = t.record([t.cuda_program("vector_add")], env=gpu)
    t.said(recording, "gpu work will not be recorded", "libcupti.so.13 or .12 was not found")
