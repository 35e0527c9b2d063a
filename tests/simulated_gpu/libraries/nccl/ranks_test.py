#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs nccl_ranks, and compares what its ranks got and when with the truth files.

usage: ranks_test.py BUILD [CASE...]"""

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(sys.argv[1]).resolve()
FAILURES = []


def expect(good, text):
    if not good:
        FAILURES.append(text)
        print("FAILED:", text)


def run(case, ranks, fault=""):
    """The lines of all ranks' truth files."""
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "LD_LIBRARY_PATH": str(BUILD / "simulated_gpu/lib"), "SIMGPU_TRUTH": f"{folder}/%p",
               "SIMGPU_FAULT": fault, "SIMGPU_DEVICES": "3"}
        program = BUILD / "simulated_gpu/programs/nccl_ranks"
        done = subprocess.run([program, case, str(ranks)], env=env, capture_output=True, text=True, timeout=100)
        expect(done.returncode == 0, f"{case} of {ranks} {fault}: {done}")
        expect("not modelled" not in done.stderr, done.stderr)
        return [json.loads(line) for path in pathlib.Path(folder).iterdir() for line in path.open()]


def kernels(lines):
    """Those of all ranks, by communicator and sequence."""
    found = collections.defaultdict(list)
    for line in lines:
        if line["op"] == "collective":
            found[line["communicator"], line["sequence"]].append(line)
    return found


def is_meeting(rows):
    """All ranks, none over before the last one has begun, and that one known to all."""
    last = max(rows, key=lambda row: row["start_ns"])
    ranks = sorted(row["rank"] for row in rows)
    return (ranks == list(range(rows[0]["ranks"])) and min(row["end_ns"] for row in rows) > last["start_ns"]
            and {row["last_ns"] for row in rows} == {last["start_ns"]} and not any(row["aborted"] for row in rows))


def collectives():
    for ranks in (1, 2, 4):
        for rows in kernels(run("collectives", ranks)).values():
            if "SendRecv" not in rows[0]["name"]:
                expect(is_meeting(rows), f"collectives of {ranks}: {rows}")


def groups():
    for ranks in (1, 3, 4):
        found = kernels(run("groups", ranks))
        expect(all(is_meeting(rows) for rows in found.values()), f"groups of {ranks}: {found}")
        communicators = collections.Counter(communicator for communicator, _ in found)
        # Three calls on two streams: two kernels. And one of each part.
        expect(sorted(communicators.values()) == [1] * (1 if ranks == 1 else 2) + [2], f"{communicators}")


def graph():
    found = kernels(run("graph", 2))
    expect(len(found) == 3 and all(is_meeting(rows) for rows in found.values()), f"graph: {found}")


def others():
    for case, ranks in (("shrunk", 3), ("one_thread", 1), ("refused", 2)):
        run(case, ranks)


def late():
    """One rank's delay is what the kernels of the others take."""
    found = kernels(run("steps", 3, "nccl_late=1:200"))
    expect(len(found) == 10, f"{len(found)} kernels")
    for rows in found.values():
        expect(is_meeting(rows), f"late: {rows}")
    # On a busy machine another rank may be later still now and then.
    last = [rows for rows in found.values() if rows[0]["last_rank"] == 1]
    expect(len(last) >= 7, f"rank 1 was the last one {len(last)} times")
    took = {rank: sum(row["end_ns"] - row["start_ns"] for rows in last for row in rows if row["rank"] == rank) for rank in range(3)}
    expect(took[1] * 2 < min(took[0], took[2]), f"kernels took {took}")


def given_up():
    lines = run("dead", 3, "nccl_dead=2")
    rows = [line for line in lines if line["op"] == "collective"]
    expect(len(rows) == 3 and all(row["aborted"] for row in rows), f"dead: {rows}")
    expect(all(row["end_ns"] - row["start_ns"] > 500_000_000 for row in rows), f"hung shorter than the program waited: {rows}")
    rows = [line for line in run("killed", 3) if line["op"] == "collective"]
    expect(len(rows) == 2 and all(row["aborted"] for row in rows), f"killed: {rows}")


def exports():
    """All that PyTorch's wheel imports is there."""
    imports = BUILD / "tests/simulated_gpu/libraries/generated/torch_imports.txt"
    if not imports.exists():
        print("exports: PyTorch's wheel is not installed, nothing to compare with")
        return
    listing = subprocess.run(["nm", "-D", "--defined-only", BUILD / "simulated_gpu/lib/libnccl.so.2"], capture_output=True,
                             text=True, check=True).stdout
    there = {line.split()[-1] for line in listing.splitlines()}
    wanted = {name for name in imports.read_text().split() if name.startswith("nccl")}
    expect(len(wanted) > 20 and not wanted - there, f"not exported: {sorted(wanted - there)}")


CASES = {case.__name__: case for case in (collectives, groups, graph, others, late, given_up, exports)}


def main():
    for name in sys.argv[2:] or CASES:
        CASES[name]()
        print(f"{name}: {'failed' if FAILURES else 'ok'}")
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())
