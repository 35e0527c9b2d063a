# SPDX-License-Identifier: Apache-2.0
"""CPython's own tests of code, frames, tracing and garbage come out as they do without Syncline while functions of the tests' frame are
ranges. (Those of sys.monitoring and of bytecode cannot: they look whether anybody watches.)"""

import re

import interpreters

LABELS = ("python",)
MODES = ("launcher",)
TIMEOUT = 300
TESTS = ("test_code", "test_coroutines", "test_frame", "test_gc", "test_generators", "test_sys_setprofile", "test_sys_settrace", "test_traceback")
# Those of os and posixpath are frozen into 3.12.
CHOSEN = ["--python-ranges", "unittest.*,contextlib.*,os.*,posixpath.*"]


def test(t):
    tried = 0
    for version, python in interpreters.found(t):
        if version not in ("3.8", "3.11", "3.13") or t.run([python, "-c", "import test.test_code"]).status != 0:
            continue
        command = [python, "-m", "test", *TESTS]
        bare, recording = t.run(command, timeout=120), t.record(command, CHOSEN, timeout=120)
        t.check(told(bare)[1], f"Python {version} says how its tests went: {bare}")
        t.equal(told(recording), told(bare), f"Python {version}: {recording}\n{bare}")
        t.check(len(recording.trace().ranges(name="unittest.case.TestCase.run")) > 300, f"Python {version}: ranges")
        tried += 1
    if not tried:
        t.skip("no CPython here has its own tests")


def told(done):
    """The status, and how many tests ran and failed."""
    return done.status, re.findall(rb"^(?:Total tests|Result|All).*", done.out, re.M)
