# SPDX-License-Identifier: Apache-2.0
"""The part of scripts/gpu_check about prices: what recordings of PyTorch's programs that exist twice say that their losses cost, and
what the programs without them take less. Nothing is judged: on a real GPU no time is fixed."""

import gzip
import json
import pathlib
import re
import statistics
import subprocess

import twin_prices
import twins

PROGRAM = pathlib.Path(__file__).resolve().parent.parent / "tests/torch_programs/twins.py"
LOOPS, SECONDS = 5, 60
TIMES = re.compile(r"^steps: (\d+) total_ms: ([\d.]+)$", re.M)
HEAD = ("case", "with, ms", "without, ms", "gain, ms", "predicted, ms", "recorded, ms", "said first")


class PriceCheck:
    """`lines`: of the report."""

    def __init__(self, syncline, python, environment, scratch, size):
        self.syncline, self.python, self.environment, self.scratch, self.size = str(syncline), str(python), environment, scratch, size
        self.steps = 20
        self.lines = []

    def check(self):
        rows = [self.row(twin) for twin in twins.TWINS if twin.language == "torch"]
        self.lines = [f"{self.steps} steps with layers of {self.size}: medians of {LOOPS} loops, bare, and one recording.", "",
                      f"| {' | '.join(HEAD)} |", "|" + "---|" * len(HEAD), *(f"| {' | '.join(row)} |" for row in rows), ""]

    def run(self, command, twin):
        environment = {**self.environment, "SIMGPU_DURATIONS": twin.durations}
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS, env=environment)
        times = [float(ms) for _, ms in TIMES.findall(done.stdout)]
        if done.returncode != 0 or not times:
            raise OSError(f"{twin.name}: status {done.returncode}: {(done.stderr or done.stdout).strip()[-300:]}")
        return statistics.median(times)

    def row(self, twin):
        program = [self.python, str(PROGRAM), twin.name, "--size", str(self.size)]
        took, without = (self.run([*program, "--loops", str(LOOPS), *more], twin) for more in ([], ["--without"]))
        out = self.scratch / twin.name
        recorded = self.run([self.syncline, "-o", str(out), "--", *program], twin)
        with gzip.open(out / "run/rank-0.findings", "rt") as file:
            predicted = twin_prices.gain_ns(twin, json.load(file)["prices"]) / 1e6
        report = subprocess.run([self.syncline, "report", "--no-files", "--format", "json", str(out)],
                                capture_output=True, text=True, check=False, timeout=SECONDS, env=self.environment)
        said = [finding["kind"] for finding in json.loads(report.stdout)["findings"] if finding["worth"]]
        numbers = (took, without, took - without, predicted, recorded)
        return (twin.name, *(f"{ms:.2f}" for ms in numbers), said[0] if said else "-")
