# SPDX-License-Identifier: Apache-2.0
"""Perfetto's trace processor has every slice, flow and counter and no error; Catapult warns of
nothing."""

import glob
import os

LABELS = ("readers",)
TIMEOUT = 300
MODES = ("launcher",)
SHOT = os.path.join(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "harness", "shot_perfetto.py"
)


def test(t):
    python = t.venv("viewers")
    if not (
        os.path.exists("/usr/bin/chromium-headless-shell") or os.path.exists("/usr/bin/chromium")
    ):
        t.skip("chromium-headless-shell is not installed")
    for program, options in (
        (["nvtx_c"], []),
        (["nvtx_cpp"], []),
        (["names"], []),
        (["spawn", "storm", "20"], []),
        (["threads", "parallel", "8", "500"], ["--time-unit", "us"]),
        (["endings", "segv"], []),
    ):
        recording = t.record([t.victim(program[0]), *program[1:]], options)
        [path] = glob.glob(os.path.join(recording.directory, "rank-0.trace.json*"))
        result = t.run([python, SHOT, path, "--check"], {"HOME": t.directory}, timeout=100)
        t.equal(result.status, 0, f"{program}: {result}")
