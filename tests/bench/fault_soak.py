#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults at random, round by round: what a program recorded is in its traces or was told, each time.

Each round records tests/victims/numbered, of which a file says how many ranges it has made, whatever becomes of it. A fault comes at a random
moment; then the records are recovered. Where somebody was left who could write the end, ranges in traces and losses are as many as were made.
Where nobody was, that is told (consumer_gone), and there are not more than were made. The exit status is 1 if a round is not so. Its directory is kept.
"""

import argparse
import collections
import glob
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "harness"))
import chrome_trace  # noqa: E402
import kills  # noqa: E402

PROGRAMS = [(200, 5000000), (2000, 500000), (2000, 100000), (20000, 50000), (6000, 250000),
            (50000, 20000), (100000, 10000), (300, 3000000), (10000, 100000), (100, 10000000)]  # ranges of a thread, pause in ns
NOT_A_RANGE = ("definition", "consumer_gone")
AT_ONCE = 4  # ranges that were made, and not counted yet, when the program died: one a thread, and the two around all of them
LONGEST = 30.0


class Round:
    def __init__(self, arguments, folder, fault, random_):
        self.fault, self.random, self.syncline = fault, random_, arguments.build / "bin/syncline"
        self.folder, self.run, self.file = folder, folder / "run", folder / "numbers"
        ranges, pause = random_.choice(PROGRAMS)
        options = ["--memory-ring", random_.choice(["16K", "64K", "16M"]), "--disk-reserve", "0"]
        victim = [arguments.build / "tests/victims/numbered", self.file, str(ranges), str(pause)]
        self.command = [str(word) for word in (self.syncline, "run", "-q", "-o", self.run, *options, "--", *victim)]

    def numbers(self):
        """pid, threads, ranges of a thread, and how many each thread has made; None: it has not begun."""
        data = self.file.read_bytes()[: kills.HEAD.size] if self.file.exists() else b""
        head = kills.HEAD.unpack(data) if len(data) == kills.HEAD.size else (0,)
        return head if head[0] else None

    def wait(self, condition):
        end = time.monotonic() + LONGEST
        while not condition() and time.monotonic() < end:
            time.sleep(0.01)
        if not condition():
            raise TimeoutError(f"{self.fault}: something hangs")

    def lives(self, pid):
        try:
            return pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0] != "Z"
        except FileNotFoundError:
            return False

    def do_fault(self, launcher, program):
        if self.fault == "launcher stopped":
            os.kill(launcher, signal.SIGSTOP)
            time.sleep(self.random.uniform(0.1, 3))
            os.kill(launcher, signal.SIGCONT)
        if self.fault == "disk full":
            filler = self.folder / "filler"
            with open(filler, "wb", buffering=0) as file:
                try:
                    while file.write(bytes(4096)):
                        pass
                except OSError:
                    pass
            time.sleep(self.random.uniform(0.1, 2))
            filler.unlink()
        victims = {"launcher killed": [launcher], "program killed": [program], "group killed": [launcher, program],
                   "launcher, then program": [launcher, program]}
        for pid in victims.get(self.fault, []):
            if self.lives(pid):
                os.kill(pid, signal.SIGKILL)
            if self.fault == "launcher, then program":
                time.sleep(self.random.uniform(0, 1))

    def record(self):
        with open(self.folder / "said", "wb") as said:
            started = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True)
        self.wait(self.numbers)
        time.sleep(self.random.uniform(0, 1))
        program = self.numbers()[0]
        if self.lives(program):
            self.do_fault(started.pid, program)
        started.wait(LONGEST)
        self.wait(lambda: not self.lives(program))
        # Another recovery may be at work: the one that the program has started at its exit.
        self.wait(lambda: subprocess.run([self.syncline, "recover", "-q", self.run], capture_output=True, check=False).returncode == 0)

    def judge(self):
        """What is wrong, or ""; and ranges made, shown and lost."""
        shown, losses = set(), collections.Counter()
        for path in glob.glob(f"{self.run}/rank-*.trace.json.gz") + glob.glob(f"{self.run}/run/rank-*.trace.json.gz"):
            trace = chrome_trace.load(path)
            shown |= {event["name"] for event in trace.events if event["ph"] == "X" and event["name"][:2] in ("0:", "1:")}
            losses += collections.Counter(trace.document["metadata"]["losses"])
        made = sum(self.numbers()[3:])
        lost = sum(count for kind, count in losses.items() if kind not in NOT_A_RANGE)
        may_be_cut = self.fault in ("group killed", "launcher, then program")
        cut = losses["consumer_gone"] != 0
        good = made <= len(shown) + lost <= made + AT_ONCE or (cut and len(shown) <= made + AT_ONCE)
        wrong = "" if good and (may_be_cut or not cut) else f"{made} made, {len(shown)} shown, losses {dict(losses)}"
        return wrong, (made, len(shown), lost)


def main():
    parser = argparse.ArgumentParser(description=__doc__, prog="scripts/bench faults", formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--seconds", type=int, default=3600)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    arguments = parser.parse_args()
    faults = ["none", "program killed", "launcher stopped", "launcher killed", "launcher, then program", "group killed"]
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="syncline-faults-"))
    if os.geteuid() == 0 and "SYNCLINE_FAULTS_DISK" not in os.environ:  # with a small disk that nobody else sees
        os.rmdir(scratch)
        os.environ["SYNCLINE_FAULTS_DISK"] = "1"
        os.execvp("unshare", ["unshare", "-m", sys.executable, *sys.argv])
    if os.geteuid() == 0:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", scratch], check=True)
        faults.append("disk full")
    random_, rounds, failed, sums = random.Random(arguments.seed), collections.Counter(), 0, collections.Counter()
    print(f"seed {arguments.seed}", flush=True)
    end = time.monotonic() + arguments.seconds
    while time.monotonic() < end:
        one = Round(arguments, scratch / str(sum(rounds.values())), random_.choice(faults), random_)
        one.folder.mkdir()
        one.record()
        wrong, numbers = one.judge()
        rounds[one.fault] += 1
        sums.update(dict(zip(("made", "shown", "lost"), numbers)))
        if wrong:
            failed += 1
            kept = tempfile.mkdtemp(prefix="syncline-fault-", dir="/var/tmp")
            shutil.copytree(one.folder, kept, dirs_exist_ok=True)
            print(f"FAIL {one.fault}: {wrong}; {' '.join(one.command)}; kept in {kept}", flush=True)
        shutil.rmtree(one.folder)
    print(f"{sum(rounds.values())} rounds ({', '.join(f'{n} {fault}' for fault, n in sorted(rounds.items()))}): "
          f"{sums['made']:,} ranges made, {sums['shown']:,} shown, {sums['lost']:,} told as lost; {failed} rounds failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
