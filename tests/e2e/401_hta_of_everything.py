# SPDX-License-Identifier: Apache-2.0
"""Traces without a range, of many processes, with lanes and losses load in both versions of HTA
too."""

import os

LABELS = ("readers",)
TIMEOUT = 300
MODES = ("launcher",)
CHECKER = os.path.join(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "harness", "check_hta.py"
)
RANK = {"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "1"}
CHECKS = [
    "load",
    "ranks_found",
    "validate_minimal",
    "validate_standard",
    "validate_complete",
    "call_stack",
]


def test(t):
    interpreters, directories = [t.venv("hta"), t.venv("hta-old")], []
    for program in (
        ["proc_self", "silent"],
        ["nvtx_c"],
        ["nvtx_cpp"],
        ["names"],
        ["payload_schema"],
        ["spawn", "storm", "20"],
        ["threads", "many", "200"],
        ["endings", "segv"],
    ):
        recording = t.record([t.victim(program[0]), *program[1:]], env=RANK)
        directories.append(recording.directory)
    for interpreter in interpreters:
        result = t.run([interpreter, CHECKER, *directories, *CHECKS], {"HTA_DISABLE_NS_ROUNDING": "1"}, timeout=250)
        t.equal(result.status, 0, f"{result}")
