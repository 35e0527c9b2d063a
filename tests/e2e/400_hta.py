# SPDX-License-Identifier: Apache-2.0
"""Both published versions of Holistic Trace Analysis load the traces, and all that ranges can feed
passes."""

import os

LABELS = ("readers",)
TIMEOUT = 240
CHECKER = os.path.join(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "harness", "check_hta.py"
)


def test(t):
    hta = [t.venv("hta"), t.venv("hta-old")]
    mpirun = [t.need("mpirun.openmpi"), "--allow-run-as-root", "--oversubscribe", "-n", "2"]
    python = t.venv("torch")
    for unit in ("ns", "us"):
        directory = t.new_directory()
        command = t.launch(
            [*mpirun, python, t.victim("steps.py")], ["--time-unit", unit], directory
        )
        recording = t.record_command(command, directory)
        t.equal(recording.ranks(), [0, 1], f"{recording}")
        for interpreter in hta:
            env = {"HTA_DISABLE_NS_ROUNDING": "1"} if unit == "ns" else {}
            result = t.run([interpreter, CHECKER, recording.directory], env, timeout=100)
            t.equal(result.status, 0, f"{unit}, {interpreter}: {result}")
