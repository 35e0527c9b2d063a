#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a CUPTI client of an unmodified program is told is what the truth file says that happened.

cupti_injection.py LIBRARY_DIR TESTS_DIR [12]: the simulated libraries, and the folder of the program and the client; 12: those
built with CUDA 12. Exit 77: something is not built.
"""

import collections
import json
import os
import subprocess
import sys
import tempfile
import time

CLOCK_ERROR_NS = 2_000_000  # of two clocks read a moment apart on a busy machine; other clock domains are seconds off
DURATION_ERROR_NS = 10_000
OPERATIONS = ("kernel", "memcpy", "memset")
# What <<<>>> calls, and the CUPTI versions to be, by the CUDA that compiled the program.
LAUNCHES = {"13": "__cudaLaunchKernel_v13000", "12": "cudaLaunchKernel_v7000"}
VERSIONS = {"13": ("12.4", "13.4"), "12": ("12.0", "12.4")}
SYNCHRONIZATION_CLASSES = {"event": 1, "stream": 3, "legacy_stream": 3, "device": 4}


def run(libraries, program, client, folder, extra):
    """The truth file's and the client's lines of one run."""
    truth, records = os.path.join(folder, "truth"), os.path.join(folder, "records")
    environment = dict(
        os.environ,
        LD_LIBRARY_PATH=libraries,
        CUDA_INJECTION64_PATH=client,
        CUPTI_CLIENT_OUT=records,
        SIMGPU_TRUTH=truth,
        SIMGPU_DURATIONS="*first_kernel*=30us,*=70us",
        **extra,
    )
    done = subprocess.run([program], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, f"status {done.returncode}: {done.stdout}{done.stderr}"
    with open(truth) as file:
        true = [json.loads(line) for line in file]
    with open(records) as file:
        told = [json.loads(line) for line in file]
    return true, told


def identity(row):
    key = (row["device"], row["stream"], row["correlation"])
    return key + ((row["name"],) if "grid" in row or row.get("op") == "kernel" else (row["bytes"],))


def check_operations(true, told, offset):
    """Every operation has one record, with its ids, its size or name, and its times; nothing else is recorded."""
    for kind in OPERATIONS:
        ours = sorted((row for row in true if row["op"] == kind), key=lambda r: (identity(r), r["start_ns"]))
        theirs = sorted((row for row in told if row["kind"] == kind), key=lambda r: (identity(r), r["start"]))
        assert ours, f"the program made no {kind}"
        assert [identity(r) for r in ours] == [identity(r) for r in theirs], kind
        for truth, record in zip(ours, theirs):
            late = record["start"] - offset - truth["start_ns"]
            assert abs(late) < CLOCK_ERROR_NS, f"{kind} {identity(truth)} starts {late} ns off"
            stretched = (record["end"] - record["start"]) - (truth["end_ns"] - truth["start_ns"])
            assert abs(stretched) < DURATION_ERROR_NS, f"{kind} {identity(truth)} is {stretched} ns too long"


def check_calls(told, launch):
    """Each record of the device joins one runtime call that began before it, and driver calls nest in their runtime call."""
    calls = collections.defaultdict(list)
    for row in told:
        if row["kind"] == "runtime":
            calls[row["correlation"]].append(row)
    for row in told:
        if row["kind"] in OPERATIONS:
            assert len(calls[row["correlation"]]) == 1, row
            assert row["start"] >= calls[row["correlation"]][0]["start"] - DURATION_ERROR_NS, row
    drivers = [row for row in told if row["kind"] == "driver" and row["correlation"] in calls]
    assert drivers, "no driver call inside a runtime call"
    for row in drivers:
        outer = calls[row["correlation"]][0]
        assert outer["start"] - DURATION_ERROR_NS <= row["start"], (outer, row)
        assert row["end"] <= outer["end"] + DURATION_ERROR_NS, (outer, row)
    launches = {row["name"] for row in told if row["kind"] == "runtime" and "aunchKernel" in row["name"]}
    assert launches == {launch}, launches


def check_synchronizations(true, told):
    """One record for each explicit wait of the truth, of the right type and for the same call."""
    expected = sorted(
        (row["correlation"], SYNCHRONIZATION_CLASSES[row["class"]])
        for row in true
        if row["op"] == "wait" and "ynchronize" in row["call"] and row["class"] in SYNCHRONIZATION_CLASSES
    )
    found = sorted((r["correlation"], r["type"]) for r in told if r["kind"] == "synchronization" and r["type"] != 2)
    assert expected, "the program waited nowhere"
    assert expected == found, (expected, found)


def main():
    libraries, tests = sys.argv[1:3]
    cuda = "12" if sys.argv[3:] == ["12"] else "13"
    suffix = "12" if cuda == "12" else ""
    program = os.path.join(tests, f"simgpu_cupti_injected_program{suffix}")
    client = os.path.join(tests, f"libsimgpu_cupti_injection_client{suffix}.so")
    for needed in (os.path.join(libraries, f"libcudart.so.{cuda}"), program, client):
        if not os.path.exists(needed):
            print(f"skipped: {needed} was not built (no nvcc of CUDA {cuda}?)")
            return 77
    for extra in ({}, *({"SIMGPU_CUPTI_VERSION": version} for version in VERSIONS[cuda])):
        with tempfile.TemporaryDirectory() as folder:
            offset = time.clock_gettime_ns(time.CLOCK_REALTIME) - time.clock_gettime_ns(time.CLOCK_MONOTONIC)
            true, told = run(libraries, program, client, folder, extra)
        check_operations(true, told, offset)
        check_calls(told, LAUNCHES[cuda])
        check_synchronizations(true, told)
        end = told[-1]
        assert end["kind"] == "end" and end["dropped"] == 0, end
        assert end["enters"] == end["exits"] > 0, end
        devices = sum(line["kind"] == "8" for line in told)  # CUPTI_ACTIVITY_KIND_DEVICE
        assert devices == true[0]["devices"] == 2, f"{devices} device records"
        print(f"{extra or 'default'}: {len(told)} records agree with {len(true)} lines of truth")
    return 0


if __name__ == "__main__":
    sys.exit(main())
