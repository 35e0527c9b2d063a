# SPDX-License-Identifier: Apache-2.0
"""Runs scripts that need PyTorch, each in a process of its own, which is forked from one that has imported it: that takes longer than all the rest.

forked.py SCRIPT...     writes what each prints to SCRIPT.out and SCRIPT.err; prints the exit status of each, a line each

In a test: `run(t, python, scripts, env)`."""

import os
import runpy
import sys
from collections import namedtuple

Done = namedtuple("Done", "status out err")


def run(t, python, scripts, env):
    """How each ended, in their order. `python`: the interpreter with its options."""
    done = t.run([*python, os.path.abspath(__file__), *scripts], env=env, timeout=100)
    t.equal(done.ending, "status 0", str(done))
    return [Done(int(status), read(f"{script}.out"), read(f"{script}.err")) for script, status in zip(scripts, done.out.split(), strict=True)]


def read(path):
    with open(path, "rb") as file:
        return file.read()


def begin(script):
    """In the child: as if the interpreter had been started with the script."""
    for number, kind in ((1, "out"), (2, "err")):
        os.dup2(os.open(f"{script}.{kind}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
    sys.argv, sys.path[0] = [script], os.path.dirname(script)
    runpy.run_path(script, run_name="__main__")


def main(scripts):
    import torch  # noqa: F401

    for script in scripts:
        child = os.fork()
        if child == 0:
            return begin(script)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print(status, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
