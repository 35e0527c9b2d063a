# SPDX-License-Identifier: Apache-2.0
"""A model compiled by Inductor and Triton: its kernels come through the driver, are once in the trace, and stand in their steps."""

LABELS = ("gpu", "torch")
TIMEOUT = 400
STEPS = 4


def test(t):
    t.venv("torch-compile")
    t.need("gcc")  # Triton builds a small library
    caches = {"TORCHINDUCTOR_CACHE_DIR": t.path("inductor"), "TRITON_CACHE_DIR": t.path("triton"), "TORCHINDUCTOR_COMPILE_THREADS": "1"}
    recording, judged = t.record_torch("compiled", str(STEPS), env=caches, timeout=300, environment="torch-compile")
    driver = [row for row in judged.launched if row["call"].startswith("cuLaunchKernel") and "triton" in row["name"]]
    t.check(len(driver) >= 2 * STEPS, f"{len(driver)} launches of Triton's kernels")
    for name in ("forward", "backward"):
        counts = {judged.staged[f"step {number} > {name}"] for number in range(1, STEPS)}
        t.check(len(counts) == 1, f"launches of compiled steps in {name} differ: {judged.staged}")
