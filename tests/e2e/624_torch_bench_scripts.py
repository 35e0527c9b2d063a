# SPDX-License-Identifier: Apache-2.0
"""The scripts that `syncline bench-script` writes for functions of a PyTorch program: tensors are made by the signature, times are those of events of
the GPU, and a model is what must be filled in."""

import importlib.util
import os

from syncline_test import ROOT

LABELS = ("torch", "gpu")
TIMEOUT = 300
MODES = ("launcher",)
BESIDE = os.path.join(ROOT, "tests", "e2e", "623_bench_scripts.py")
TO_FILL_IN = {"Denoiser.do_forward": ('"self": lambda: sys.modules["benched"].Denoiser(4)', "self: Denoiser")}


def test(t):
    spec = importlib.util.spec_from_file_location("plain", BESIDE)
    plain = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(plain)
    python = [t.venv("torch-cuda"), "-W", "ignore"]
    env = t.torch_environment()
    chosen = ["--signatures", "--python-ranges", "__main__.do_tensors,__main__.Denoiser.do_*"]
    recording = t.record([*python, plain.PROGRAM, t.path("truth"), "torch", "cuda"], chosen, env, timeout=120)
    plain.scripts(t, python, recording, TO_FILL_IN, env, most=1)
    script = plain.write(t, recording, "__main__.do_tensors", 1)
    calls = [call for call in t.record([*python, script], [], env).trace().calls() if call.name.startswith("cudaEventRecord")]
    t.check(len(calls) >= 40, f"two events for each of 20 calls: {len(calls)}")
