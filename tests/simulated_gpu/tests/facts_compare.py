#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The facts program says on the simulation what is committed, and without a driver what NVIDIA's own libraries say.

facts_compare.py LIBRARY_DIR PROGRAM [--write]: --write renews facts.simulated.txt. Exit 77: the simulation is not built.
"""

import os
import subprocess
import sys

FACTS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "facts")
DURATIONS = "*facts_busy*=20ms,*facts_long*=300ms,*=20us"
# What depends on which of NVIDIA's libraries a machine has.
MACHINE = ("library.",)
# A machine under load can make these differ; each is asked again.
TRIES = 3


def read(text):
    lines = [line for line in text.splitlines() if "=" in line and not line.startswith("#")]
    facts = dict(line.split("=", 1) for line in lines)
    return {key: value for key, value in facts.items() if not key.startswith(MACHINE)}


def committed(name):
    with open(os.path.join(FACTS, name)) as file:
        return read(file.read())


def run(libraries, program, extra):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("SIMGPU_", "CUDA_"))}
    environment.update(LD_LIBRARY_PATH=libraries, SIMGPU_DEVICES="1", SIMGPU_DURATIONS=DURATIONS, **extra)
    done = subprocess.run([program], env=environment, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, f"status {done.returncode}: {done.stderr}"
    return done.stdout


def differences(expected, found):
    keys = sorted(set(expected) | set(found))
    return {k: (expected.get(k), found.get(k)) for k in keys if expected.get(k) != found.get(k)}


def compare(name, libraries, program, extra):
    expected = committed(name)
    for _ in range(TRIES):
        different = differences(expected, read(run(libraries, program, extra)))
        if not different:
            print(f"{name}: {len(expected)} facts agree")
            return True
    for key, (wanted, got) in different.items():
        print(f"{name}: {key} is {got}, committed {wanted}")
    return False


def main():
    libraries, program = sys.argv[1:3]
    if not os.path.exists(os.path.join(libraries, "libcudart.so.13")) or not os.path.exists(program):
        print("skipped: the simulated CUDA runtime or the facts program is not built")
        return 77
    if "--write" in sys.argv:
        with open(os.path.join(FACTS, "facts.simulated.txt"), "w") as file:
            file.write("# The simulation: one device, SIMGPU_DURATIONS of tests/simulated_gpu/tests/facts_compare.py.\n")
            file.writelines(f"{key}={value}\n" for key, value in read(run(libraries, program, {})).items())
        return 0
    good = compare("facts.simulated.txt", libraries, program, {})
    return 0 if compare("facts.real_no_driver.txt", libraries, program, {"SIMGPU_FAULT": "no_libcuda"}) and good else 1


if __name__ == "__main__":
    sys.exit(main())
