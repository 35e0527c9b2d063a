# SPDX-License-Identifier: Apache-2.0
"""Perfetto's trace processor has every slice, flow and counter and no error; Catapult warns of
nothing. `view --at` is where the Perfetto UI opens."""

import glob
import os
import re

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
    traces = []
    for program, options in (
        (["nvtx_c"], []),
        (["nvtx_cpp"], []),
        (["names"], []),
        (["spawn", "storm", "20"], []),
        (["threads", "parallel", "8", "500"], ["--time-unit", "us"]),
        (["endings", "segv"], []),
    ):
        recording = t.record([t.victim(program[0]), *program[1:]], options)
        traces += glob.glob(os.path.join(recording.directory, "rank-0.trace.json*"))
    t.equal(len(traces), 6, f"{traces}")
    result = t.run([python, SHOT, *traces, "--check"], {"HOME": t.directory}, timeout=200)
    t.equal(result.status, 0, f"{result}")
    at_a_moment(t, python)


def at_a_moment(t, python):
    recording = t.record([t.victim("threads"), "parallel", "4", "50000"])
    started = t.start([t.syncline, "view", "--no-open", "--at", "5ms", recording.directory])
    said = t.until(lambda: re.search(rb"visStart=(\d+)&visEnd=(\d+)", b"".join(started.output())), "an address is printed")
    started.process.terminate()
    started.wait(10)
    visible = [text.decode() for text in said.groups()]
    result = t.run([python, SHOT, recording.trace().path, "--visible", *visible], {"HOME": t.directory}, timeout=100)
    t.equal(result.status, 0, f"{result}")
