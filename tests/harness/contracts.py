# SPDX-License-Identifier: Apache-2.0
"""The training of tests/torch_programs/contract.py with and without what somebody added, and `syncline check` of its runs."""

import os
import re

from syncline_test import ROOT

PROGRAM = "tests/torch_programs/contract.py"
CONTRACT = """# what a step may do
waits_per_step <= 0
no new wait since BASE
kernels_per_step <= BASE

copies_per_step <= BASE
bytes_to_host_per_step <= BASE
"""
# Which of the contract's measures each of them breaks at its own line.
WAITS = {"item", "cpu", "print", "if", "pageable", "synchronize", "nonzero", "tolist", "empty_cache", "event"}
SUBMITS = {"to_host": "copies_per_step", "kernel": "kernels_per_step", "loop": "kernels_per_step"}


def line_of(case, path=PROGRAM):
    with open(os.path.join(ROOT, path)) as file:
        (line,) = (number for number, text in enumerate(file, 1) if text.endswith(f"# regression: {case}\n"))
    return line


def statement_of(case):
    with open(os.path.join(ROOT, PROGRAM)) as file:
        (text,) = (text for text in file if text.endswith(f"# regression: {case}\n"))
    return text.partition("  # ")[0].strip()


def record(t, case, program=None):
    env = t.torch_environment({"SIMGPU_DURATIONS": "*gemm*=200us,*=10us", "OMP_NUM_THREADS": "1"})
    *python, script = t.torch_program("contract")
    env["PYTHONPATH"] = os.path.dirname(script)  # what a copy of the program imports
    command = [*python, program or script, case]
    recording = t.past_exit_race(lambda: t.record(command, ["--torch", "lines"], env, timeout=120), env)
    t.equal((recording.ending, recording.losses()), ("status 0", {}), f"{case}: {recording}")
    return recording.directory


def check(t, directory, *options):
    return t.run([t.syncline, "check", directory, *options])


def contract(t):
    path = t.path("ci.contract")
    with open(path, "w") as file:
        file.write(CONTRACT)
    return path


def judge(t, case, base):
    """Each regression is told at its own line, and nothing else is."""
    done = check(t, record(t, case), "--file", contract(t), "--base", base)
    text = done.out.decode()
    t.equal(done.status, 1, f"{case}: {done}")
    told = {}  # the lines, by the first word of each expression that is broken
    for paragraph in re.split(r"^(?=BROKEN|holds|UNKNOWN)", text, flags=re.MULTILINE):
        if paragraph.startswith("BROKEN"):
            told[paragraph.split()[1]] = re.findall(r" at \S*contract\.py:(\d+) ", paragraph)
    wanted = [str(line_of(case))]
    for measure in ("waits_per_step", "no") if case in WAITS else (SUBMITS[case],):
        t.equal(told.get(measure), wanted, f"{case}, {measure}: {text}")
    t.check(all(lines == wanted for lines in told.values()), f"{case}: another line, too: {text}")
    if case in WAITS:
        t.check(f": {statement_of(case)} (" in text, f"{case}: the source text: {text}")
    else:
        t.check("waits_per_step" not in told and "no" not in told, f"{case} waits for nothing: {text}")
