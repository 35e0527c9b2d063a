# SPDX-License-Identifier: Apache-2.0
"""Shapes, types and devices of tensors in report/io_signature.json are those that the program notes itself, on a GPU and without one, in
containers, keyword arguments and results, of tensors of its own class too."""

import importlib.util
import json
import os

from syncline_test import ROOT

LABELS = ("torch", "gpu")
TIMEOUT = 300
MODES = ("launcher",)
BESIDE = os.path.join(ROOT, "tests", "e2e", "621_python_signatures.py")


def test(t):
    plain = importlib.util.module_from_spec(importlib.util.spec_from_file_location("plain", BESIDE))
    plain.__spec__.loader.exec_module(plain)
    for environment, words in (("torch-cuda", ["torch", "cuda"]), ("torch-cuda", ["torch", "killed"]), ("torch", ["torch"])):
        where = t.path(f"truth-{environment}-{len(words)}-{words[-1]}")
        python = t.venv(environment)
        recording = t.record([python, "-W", "ignore", plain.PROGRAM, where, *words], plain.CHOSEN, t.torch_environment(), timeout=120)
        plain.compare(t, recording, json.load(open(where)), f"{environment} {words}")
