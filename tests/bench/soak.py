#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A soak: one launcher records short lives of every kind for ten minutes, and then every count must be exact.

For the whole time, at random from the seed, programs of four ranks start, record from threads that start and end, fork (also by a clone that
no hook sees, and without exec), become other programs, and are killed; the launcher itself is stopped for up to three seconds now and then. The
exit status is 1 if a count is not exact (tests/bench/soak_judge.py has the rule) or if the launcher's descriptors or memory grow.
"""

import argparse
import json
import os
import pathlib
import random
import re
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LEAST_SECONDS = 20
RANKS = 4
MOST_PROGRAMS = 1 << 18
# Small, so that a launcher that is stopped makes rings overflow: losses are to be counted too.
MEMORY_RING = "64K"
LONGEST_STALL = 3.0
BETWEEN_STALLS = 20.0  # seconds, on average
# How far the last quarter's median may lie above the second quarter's; in the first one, buffers come to their size.
DESCRIPTOR_SLACK = 20  # two of each process that happens to live
RSS_SLACK_KIB = 4096
# What the launcher keeps until it writes the traces: of each program that recorded a spool's name and how it ended, and of each rank the
# notes, with room for 4 KiB of command line, of the first 1,000 processes that recorded and of the first 1,000 that did not.
KIB_OF_PROGRAM = 1
KIB_OF_NOTE = 5
NOTES_OF_RANK = 1000


class Samples:
    """The launcher's descriptors, memory, threads and CPU time, once a second."""

    def __init__(self, pid, truth):
        self.proc, self.truth = pathlib.Path(f"/proc/{pid}"), truth
        self.rows = []  # (descriptors, RSS in KiB, threads, programs so far, KiB that are kept of them)
        self.cpu = 0.0

    def take(self):
        status = (self.proc / "status").read_text()
        numbers = {key: int(re.search(rf"^{key}:\s+(\d+)", status, re.M).group(1)) for key in ("VmRSS", "Threads")}
        with open(self.truth, "rb") as file:
            programs, _, silent = struct.unpack("<3Q", file.read(24))
        notes = sum(min(number, RANKS * NOTES_OF_RANK) for number in (programs, silent))
        kept = KIB_OF_PROGRAM * programs + KIB_OF_NOTE * notes
        self.rows.append((len(os.listdir(self.proc / "fd")), numbers["VmRSS"], numbers["Threads"], programs, kept))
        self.cpu = sum(int((task / "schedstat").read_text().split()[0]) for task in (self.proc / "task").iterdir()) * 1e-9

    def quarter(self, number, column):
        """The median of the first (0) to the last (3) quarter."""
        size = len(self.rows) // 4
        return statistics.median(row[column] for row in self.rows[number * size:(number + 1) * size])

    def most(self, column):
        return max(row[column] for row in self.rows)


class Soak:
    def __init__(self, arguments, scratch):
        self.arguments = arguments
        self.scratch = pathlib.Path(scratch)
        self.out, self.truth, self.result = (str(self.scratch / name) for name in ("out", "truth", "result"))
        self.build = pathlib.Path(arguments.build).resolve()
        self.random = random.Random(arguments.seed)
        self.stalls, self.stalled = 0, 0.0
        self.faults = []

    def command(self):
        driver = [sys.executable, str(HERE / "soak_driver.py"), self.truth, str(self.build / "tests/victims/soak"),
                  self.arguments.seconds, self.arguments.seed, RANKS, self.arguments.rate, self.result]
        return [str(word) for word in (self.build / "bin/syncline", "run", "-o", self.out, "--memory-ring", MEMORY_RING, "--", *driver)]

    def watch(self, process):
        """Stops and continues the launcher and takes samples, until the driver has ended."""
        self.samples = Samples(process.pid, self.truth)
        begin = time.monotonic()
        next_sample, next_stall, resume = begin + 1, begin + self.random.expovariate(1 / BETWEEN_STALLS), None
        while process.poll() is None and not os.path.exists(self.result):
            now = time.monotonic()
            if resume is not None and now >= resume:
                process.send_signal(signal.SIGCONT)
                resume, next_stall = None, now + self.random.expovariate(1 / BETWEEN_STALLS)
            elif resume is None and now >= next_stall:
                length = self.random.uniform(0.05, LONGEST_STALL)
                process.send_signal(signal.SIGSTOP)
                self.stalls, self.stalled, resume = self.stalls + 1, self.stalled + length, now + length
            if now >= next_sample and now - begin < self.arguments.seconds:
                self.samples.take()
                next_sample += 1
            time.sleep(0.02)
        if resume is not None:
            process.send_signal(signal.SIGCONT)

    def most_resident(self, process):
        """Until the launcher has ended: the most memory that it took, in KiB, while it wrote the traces."""
        most = 0
        while process.poll() is None:
            found = re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{process.pid}/status").read_text())
            most = int(found.group(1)) if found else most
            time.sleep(0.05)
        return most

    def record(self):
        with open(self.truth, "wb") as file:
            file.truncate(32 + 32 * MOST_PROGRAMS)
        with open(self.scratch / "said", "w+b") as said:
            process = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True)
            try:
                begin = time.monotonic()
                self.watch(process)
                self.recorded_for = time.monotonic() - begin
                self.peak_kib = self.most_resident(process)
                self.wrote_for = time.monotonic() - begin - self.recorded_for
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
            said.seek(0)
            self.said = said.read().decode(errors="replace").strip()
        self.expect(process.returncode == 0, f"the launcher ended with {process.returncode}")
        if not os.path.exists(self.result):
            sys.exit(f"the driver did not come to its end; the launcher ended with {process.returncode} and said:\n{self.said}")
        self.driven = json.loads(pathlib.Path(self.result).read_text())

    def expect(self, good, fault):
        if not good:
            self.faults.append(fault)

    def judge(self):
        self.ranks = []
        for rank in range(RANKS):
            command = [sys.executable, str(HERE / "soak_judge.py"), self.out, str(rank), self.truth]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                self.faults.append(f"rank {rank} could not be judged: {done.stderr[-2000:]}")
                continue
            found = json.loads(done.stdout)
            self.ranks.append(found)
            self.faults += [f"rank {rank}: {fault}" for fault in found["faults"]]
            more = found["fault_count"] - len(found["faults"])
            self.expect(more == 0, f"rank {rank}: and {more} faults more")
        left = [str(path) for path in pathlib.Path(self.out).rglob("*") if path.suffix in (".spool", ".tmp", ".segment")]
        self.expect(not left, f"left behind: {left[:5]}")

    def judge_flatness(self):
        samples = self.samples
        more = samples.quarter(3, 0) - samples.quarter(1, 0)
        self.expect(more <= DESCRIPTOR_SLACK, f"descriptors grow: {more:.0f} more in the last quarter than in the second")
        more = samples.quarter(3, 2) - samples.quarter(1, 2)
        self.expect(more <= 0, f"threads grow: {more:.0f} more in the last quarter than in the second")
        more, programs, kept = (samples.quarter(3, column) - samples.quarter(1, column) for column in (1, 3, 4))
        self.expect(more <= RSS_SLACK_KIB + kept, f"memory grows: {more:.0f} KiB more in the last quarter than in the second; for"
                                                  f" {programs:.0f} programs more {RSS_SLACK_KIB + kept:.0f} are allowed")

    def judge_processes(self):
        """Every process that has a rank is shown or counted. Of those killed at their very start it cannot be known."""
        started = self.driven["started"]
        known = self.sum("shown") + self.sum("left_out")
        least = self.sum("sure") + self.driven["silent_ended"]
        most = sum(started.values()) + self.sum("forked")
        self.expect(least <= known <= most, f"{known} processes are shown or counted, not {least} to {most}")

    def sum(self, key):
        return sum(rank[key] for rank in self.ranks)

    def print_table(self):
        losses = {}
        for rank in self.ranks:
            for kind, count in rank["losses"].items():
                losses[kind] = losses.get(kind, 0) + count
        samples = self.samples

        def flat(column):
            quarters = [f"{samples.quarter(number, column):,.0f}" for number in range(4)]
            return f"{' / '.join(quarters)}, at most {samples.most(column):,}"

        started = self.driven["started"]
        rows = [("seconds", f"{self.recorded_for:,.1f}, and {self.wrote_for:.1f} to write the traces"),
                ("programs started by the driver", f"{sum(started.values()):,}: " + ", ".join(f"{n:,} {kind}" for kind, n in started.items())),
                ("programs that record, with forks and execs", f"{self.sum('programs'):,} in {self.sum('processes'):,} processes"),
                ("of these killed by the driver", f"{self.driven['killed']:,}"),
                ("programs cut off within a range", f"{self.sum('cut'):,}"),
                ("ranges begun, ended by truth", f"{self.sum('begun'):,}, {self.sum('ended'):,}"),
                ("ranges in the traces, closed, never ended", f"{self.sum('closed'):,}, {self.sum('open'):,}"),
                ("losses told", ", ".join(f"{count:,} {kind}" for kind, count in sorted(losses.items())) or "none"),
                ("processes in the traces, only counted", f"{self.sum('shown'):,}, {self.sum('left_out'):,}"),
                ("stalls of the launcher", f"{self.stalls}, {self.stalled:.1f} s in all"),
                ("its descriptors, median by quarters", flat(0)),
                ("its memory by quarters, KiB", flat(1)),
                ("its most memory, writing the traces, KiB", f"{self.peak_kib:,}"),
                ("its threads by quarters", flat(2)),
                ("its CPU time while recording, s", f"{samples.cpu:.2f}"),
                ("traces, bytes", f"{self.sum('bytes'):,}")]
        for what, found in rows:
            print(f"{what:50} {found}")
        print(self.said)

    def run(self):
        print(f"soak of {self.arguments.seconds:g} s, seed {self.arguments.seed}", flush=True)
        self.record()
        self.judge()
        self.judge_processes()
        self.judge_flatness()
        self.print_table()
        for fault in self.faults:
            print(f"FAULT: {fault}")
        print("verdict: " + ("FAILED" if self.faults else "every count is exact; descriptors and memory are flat"))
        return 1 if self.faults else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, prog="scripts/bench soak")
    parser.add_argument("--seconds", type=float, default=600, help="[600]")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().getrandbits(31), help="of a run to be had again [random]")
    parser.add_argument("--rate", type=float, default=25, help="programs that are started in a second [25]")
    parser.add_argument("--build", default=str(ROOT / "build/release"))
    parser.add_argument("--keep", metavar="DIR", help="a new folder for traces and truth, which are kept")
    arguments = parser.parse_args()
    if arguments.seconds < LEAST_SECONDS:
        parser.error(f"a quarter of less than {LEAST_SECONDS} s says nothing")
    if arguments.keep:
        os.makedirs(arguments.keep)
        return Soak(arguments, os.path.abspath(arguments.keep)).run()
    with tempfile.TemporaryDirectory() as scratch:
        return Soak(arguments, scratch).run()


if __name__ == "__main__":
    sys.exit(main())
