# SPDX-License-Identifier: Apache-2.0
"""Slices that touch, nest with one end, or have no length are whole in Perfetto, Catapult and both versions of HTA, on clocks
with fine and with coarse steps, at every distance from the base."""

import os

import trace_check

LABELS = ("readers",)
TIMEOUT = 600
MODES = ("launcher",)
HARNESS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "harness")
# log2 of microseconds after the base: the first hours; then from where on doubles lack nanoseconds, and at what readers disagree on.
DISTANCES = (32, 41, 42, 43)
# HTA compares slices without length in a circle where a slice seems to end exactly when they begin: in whole microseconds, and
# where a double's step is as long as the slices.
HTA = {(32, 10): ("load", "call_stack", "nesting"), (42, 10): ("load", "call_stack"), (32, 400): ("load", "call_stack", "nesting")}


def test(t):
    shot = [t.venv("viewers"), os.path.join(HARNESS, "shot_perfetto.py")]
    checkers = [[t.venv(name), os.path.join(HARNESS, "check_hta.py")] for name in ("hta", "hta-old")]
    shown, computed = [], {}
    tool = os.path.join(t.build, "tests", "touching_trace")
    for distance, step, unit in [(d, s, "ns") for d in DISTANCES for s in (1, 10)] + [(32, 400, "us")]:
        what = f"2^{distance} us, {step} ns, {unit}"
        directory = t.path(f"{distance}-{step}-{unit}")
        os.mkdir(directory)
        path = os.path.join(directory, "rank-0.trace.json.gz")
        t.equal(t.run([tool, path, str(distance), str(step), "12000" if distance == 32 and step == 10 else "4000", unit]).status, 0, what)
        t.equal(trace_check.check_trace(path), [], what)
        if step >= 10:
            shown.append(path)
        if (distance, step) in HTA:
            computed.setdefault(HTA[distance, step], []).append(directory)
    result = t.run([*shot, *shown, "--check"], {"HOME": t.directory}, timeout=300)
    t.equal(result.status, 0, f"{result}")
    for analyses, directories in computed.items():
        for checker in checkers:
            result = t.run([*checker, *directories, *analyses], {"HTA_DISABLE_NS_ROUNDING": "1"}, timeout=300)
            t.equal(result.status, 0, f"{result}")
