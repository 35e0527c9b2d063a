# SPDX-License-Identifier: Apache-2.0
"""What --sample costs: the launcher, with one rank and with eight, and the program that is looked at."""

import os
import pathlib
import struct
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
COUNTS = ("rounds", "samples", "torn", "unreadable", "left_out", "more_threads", "late", "used_ns")  # SampleCounts
HERTZ, SECONDS, ROUNDS = 200, 8, 3


def counts_of(out):
    """What the file of samples says at its end."""
    [path] = pathlib.Path(out).glob("run/*.samples")
    return dict(zip(COUNTS, struct.unpack(f"<{len(COUNTS)}Q", path.read_bytes()[-8 * len(COUNTS):])))


def measure(bench):
    environment = {**os.environ, "LD_LIBRARY_PATH": str(bench.build / "simulated_gpu/lib"), "OMP_NUM_THREADS": "1"}
    for ranks in (1, 8):
        program = ROOT / "tests/python_programs/sampled_host.py"
        each = f"RANK=$i WORLD_SIZE={ranks} LOCAL_RANK=$i python3 {program} {bench.scratch}/truth-$i apart {SECONDS}"
        command, out = bench.recorded("bash", "-c", f"for i in $(seq 0 {ranks - 1}); do {each} & done; wait", options=("--sample",))
        subprocess.run(command, env=environment, check=True)
        counts = counts_of(out)
        share = counts["used_ns"] / (SECONDS * 1e7)
        bench.row(f"--sample, {ranks} rank{'s' * (ranks > 1)}: the launcher's thread", share, "% of one", "5" if ranks == 8 else "")
        bench.row("  looks a second", counts["rounds"] / SECONDS, "", f"{HERTZ}")
        bench.row("  stacks that changed or could not be read", 100 * (counts["torn"] + counts["unreadable"]) / counts["samples"], "%")
    least = {}
    for _ in range(ROUNDS):
        for options in ((), ("--sample",)):
            command, _ = bench.recorded("python3", str(ROOT / "tests/bench/sampled_work.py"), options=options)
            for key, seconds in bench.read_json(command, env=environment).items():
                least[options, key] = min(seconds, least.get((options, key), seconds))
    more = 100 * (least[("--sample",), "cpu_s"] / least[(), "cpu_s"] - 1)
    bench.row("--sample: the program's processor time", more, "% more", "0.5")
