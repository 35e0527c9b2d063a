# SPDX-License-Identifier: Apache-2.0
"""The lines that we read from the tables of the standard library's code are those that the interpreter gives, instruction by instruction,
in every version; with --full of all modules in one version of each kind of table."""

import concurrent.futures
import os

import interpreters
from syncline_test import ROOT

MODES = ("launcher",)
LABELS = ("python",)
TIMEOUT = 300
FULL_TIMEOUT = 1800
STEP = 4  # of so many modules one is taken
WHOLE = ("3.8", "3.10", "3.13")  # versions whose tables differ in kind
LEAST = 100000  # instructions


def test(t):
    checker = os.path.join(t.build, "tests", "check_line_tables")
    if not os.path.exists(checker):
        t.skip("check_line_tables was not built: configure with BUILD_TESTING")
    script = os.path.join(ROOT, "tests", "python_programs", "line_tables.py")

    def lines(number, version, python):
        path = t.path(f"{number}.tables")
        written = t.run([python, script, path, "1" if t.full and version in WHOLE else str(STEP)], timeout=600)
        checked = t.run([checker, path], timeout=600)
        os.unlink(path)
        return version, written, checked

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        tasks = [pool.submit(lines, number, *found) for number, found in enumerate(interpreters.found(t))]
    for version, written, checked in (task.result() for task in tasks):
        t.equal(written.ending, "status 0", f"Python {version}: {written}")
        t.equal(checked.ending, "status 0", f"Python {version}: {checked}")
        t.check(int(checked.out.split()[0]) > LEAST, f"Python {version}: {checked}")
        print(f"Python {version}: {checked.out.decode().strip()}")
