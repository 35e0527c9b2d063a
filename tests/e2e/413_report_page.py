# SPDX-License-Identifier: Apache-2.0
"""report.html in a browser, light and dark, wide and narrow: it keeps its policy, says no error, sorts, searches, zooms and copies,
whatever things are called and however large the run was."""

import os

LABELS = ("readers",)
TIMEOUT = 300
MODES = ("launcher",)
HARNESS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "harness")
# Ranks, steps, names of kernels.
RUNS = {
    "small": (["4", "200", "50"], True),
    "hostile": (["4", "200", "50", "hostile"], True),
    "large": (["1000", "10000", "3000"], True),
    "least": (["1", "1", "0"], False),
}


def test(t):
    python = t.venv("viewers")
    if not (os.path.exists("/usr/bin/chromium-headless-shell") or os.path.exists("/usr/bin/chromium")):
        t.skip("chromium-headless-shell is not installed")
    tool = os.path.join(t.build, "tests", "report_page")
    for name, (arguments, use) in RUNS.items():
        page = t.path(f"{name}.html")
        t.equal(t.run([tool, page, *arguments]).status, 0, name)
        t.check(os.path.getsize(page) < 5_000_000, f"{name}: {os.path.getsize(page)} bytes")
        command = [python, os.path.join(HARNESS, "shot_report.py"), page, *(["--use"] if use else []), *(["--few"] if name != "small" else [])]
        result = t.run(command, {"HOME": t.directory}, timeout=120)
        t.equal(result.status, 0, f"{name}: {result}")
