#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random faults over ten programs with known counts, and every record must be in the trace or told.

One program runs under one launcher, and at a random moment one thing goes wrong: the program, the launcher or both are killed, the launcher is
stopped, the disk is full for a while or for good, the directory of the run is moved or removed. Then what is left is recovered, and held against
what the program noted in memory of its own (tests/victims/soak.c), or the simulated GPU in its truth file. The exit status is 1 if a count is wrong.

Where launcher and program died at once nobody knows how many records were in memory: there the trace has to say that its end is missing.
"""

import argparse
import collections
import glob
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(ROOT / "tests/harness")]
import chrome_trace  # noqa: E402
import gpu_truth  # noqa: E402
import processes  # noqa: E402
import soak_judge  # noqa: E402
import trace_check  # noqa: E402

SLOTS = 4096
STOP = 8  # where the truth file says that programs shall end (tests/victims/soak.c)
SOAK_KINDS = ("short", "threads", "fork", "raw", "exec2", "exec4", "burst", "steady")
GPU_KINDS = ("launches", "launches and pauses")
PROGRAMS = SOAK_KINDS + GPU_KINDS
FAULTS = ("none", "program killed", "program terminated", "launcher stopped", "launcher killed", "all killed", "disk full",
          "disk full for a while", "directory moved", "directory removed")
LONGEST = 2.0  # seconds until the fault
LONGEST_STALL = 4.0
DISK = "64m"
LONGEST_RUN = 120
RECOVER_TRIES = 100


class Trial:
    def __init__(self, number, arguments, scratch):
        self.random = random.Random(f"{arguments.seed}:{number}")
        self.build, self.scratch = pathlib.Path(arguments.build).resolve(), pathlib.Path(scratch)
        self.kind = self.random.choice(arguments.programs)
        self.fault = self.random.choice(arguments.faults)
        self.disk = self.scratch / "disk"
        self.out, self.truth = self.disk / "out", self.scratch / "truth"
        self.faults = []
        self.told = {}
        self.unbounded = False  # nobody knows how many records were lost

    def expect(self, good, fault):
        if not good:
            self.faults.append(fault)

    # ---- running

    def program(self):
        if self.kind in GPU_KINDS:
            rounds = 40 if self.kind == "launches" else 400
            return [self.build / "simulated_gpu/programs/launch_rate", str(rounds)]
        victim = [str(self.build / "tests/victims/soak"), str(self.truth)]
        if self.kind in ("burst", "steady"):
            return [*victim, str(self.random.getrandbits(31)), self.kind]
        script = 'for i in $(seq 20); do "$0" "$1" $(($2 + i)) "$3"; done; exit 0'
        return ["sh", "-c", script, *victim, str(self.random.getrandbits(30)), self.kind]

    def environment(self):
        rank = {"RANK": "0", "LOCAL_RANK": "0", "WORLD_SIZE": "1", "LOCAL_WORLD_SIZE": "1"}
        environment = {**os.environ, **rank, "TMPDIR": str(self.scratch)}
        if self.kind in GPU_KINDS:
            environment["LD_LIBRARY_PATH"] = str(self.build / "simulated_gpu/lib")
            environment["SIMGPU_TRUTH"] = str(self.truth)
            environment["SIMGPU_DURATIONS"] = "*=2us" if self.kind == "launches" else "*=20us"
        return environment

    def start(self):
        os.makedirs(self.disk)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(self.disk)], check=True)
        if self.kind in SOAK_KINDS:
            with open(self.truth, "wb") as file:
                file.truncate(32 + 32 * SLOTS)
        command = [self.build / "bin/syncline", "run", "-o", self.out, "--disk-reserve", "0", "--", *self.program()]
        self.said = open(self.scratch / "said", "w+b")
        self.process = subprocess.Popen([str(word) for word in command], env=self.environment(), stdin=subprocess.DEVNULL,
                                        stdout=self.said, stderr=self.said, start_new_session=True)

    def others(self):
        """The processes of the session but the launcher."""
        return [pid for pid in processes.descendants(os.getpid()) if pid != self.process.pid]

    def reap(self):
        """Orphans that ended; the launcher is waited for by itself."""
        for pid in processes.children(os.getpid()):
            if pid != self.process.pid:
                try:
                    os.waitpid(pid, os.WNOHANG)
                except ChildProcessError:
                    pass

    def kill(self, pids, number):
        for pid in pids:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass

    def do_fault(self):
        filler = self.disk / "filler"
        if self.fault == "program killed":
            self.kill(self.others(), signal.SIGKILL)
        elif self.fault == "program terminated":
            self.kill(self.others(), signal.SIGTERM)
        elif self.fault == "launcher killed":
            self.process.kill()
        elif self.fault == "all killed":
            self.kill([self.process.pid, *self.others()], signal.SIGKILL)
        elif self.fault == "launcher stopped":
            self.process.send_signal(signal.SIGSTOP)
            time.sleep(self.random.uniform(0.1, LONGEST_STALL))
            self.process.send_signal(signal.SIGCONT)
        elif self.fault.startswith("disk full"):
            subprocess.run(["dd", "if=/dev/zero", f"of={filler}", "bs=64k"], check=False, capture_output=True)
            if self.fault.endswith("while"):
                time.sleep(self.random.uniform(0.1, 1.0))
                filler.unlink()
        elif self.fault == "directory moved" and self.out.exists():
            self.out.rename(self.disk / "moved")
            self.out = self.disk / "moved"
        elif self.fault == "directory removed":
            shutil.rmtree(self.out, ignore_errors=True)

    def finish(self):
        """Lets the program come to its end, and waits for the launcher and for all that outlives it."""
        if self.kind == "steady":
            time.sleep(self.random.uniform(0, 1))
            with open(self.truth, "r+b") as file:
                file.seek(STOP)
                file.write(struct.pack("<Q", 1))
        deadline = time.monotonic() + LONGEST_RUN
        while self.process.poll() is None or processes.descendants(os.getpid()):
            self.reap()
            if time.monotonic() > deadline:
                self.faults.append(f"still running: {[processes.describe(pid) for pid in processes.descendants(os.getpid())]}")
                self.kill([self.process.pid, *self.others()], signal.SIGKILL)
                break
            time.sleep(0.02)
        self.process.wait()
        filler = self.disk / "filler"
        if filler.exists():
            filler.unlink()

    # ---- judging

    def directory(self):
        """Where the records are: where the launcher says so, if the directory is not where it was."""
        if self.out.exists() and not (self.fault == "directory removed" and not (self.out / "run").exists()):
            return self.out
        found = [pathlib.Path(path).parent.parent for folder in (self.disk, self.scratch)
                 for path in glob.glob(f"{folder}/**/run/job.json", recursive=True)]
        return found[0] if found else None

    def recover(self, directory):
        for _ in range(RECOVER_TRIES):  # the recovery that a process started at its exit may be at work
            done = subprocess.run([str(self.build / "bin/syncline"), "recover", str(directory)], capture_output=True, text=True, check=False)
            if done.returncode == 0:
                break
            time.sleep(0.1)
        self.told["recover"] = done.stdout + done.stderr

    def judge(self):
        directory, begun = self.directory(), self.begun()
        if directory is None:
            self.expect(begun == 0 or self.fault == "directory removed" and b"syncline: " in self.read_said(), f"no directory; {begun} were begun")
            return
        self.recover(directory)
        paths = glob.glob(f"{directory}/rank-0.trace.json*") + glob.glob(f"{directory}/run/rank-0-late-*.trace.json*")
        traces = [chrome_trace.load(path) for path in paths]
        for path in paths:
            self.faults += trace_check.check_trace(path)
        losses = sum((collections.Counter(trace.document["metadata"]["losses"]) for trace in traces), collections.Counter())
        lost = sum(count for kind, count in losses.items() if kind not in soak_judge.NOT_A_RANGE)
        # Who became another program, or left by the kernel's own call, without a launcher: nobody was left to write the end.
        cut = losses["consumer_gone"] != 0
        self.expect(not cut or self.fault in ("launcher killed", "all killed"), f"no end is told: {dict(losses)}")
        self.told.update({"begun": begun, "losses": dict(losses)})
        self.unbounded = cut or self.refused()
        if self.kind in GPU_KINDS:
            self.judge_gpu(traces, lost, cut)
        else:
            self.judge_ranges(traces, lost, cut)

    def begun(self):
        if self.kind in GPU_KINDS:
            return len(gpu_truth.rows_of(self.truth)) if self.truth.exists() else 0
        return sum(program.begun for program in soak_judge.read_truth(self.truth))

    def judge_ranges(self, traces, lost, cut):
        closed = collections.Counter(found.name for trace in traces for found in trace.ranges() if found.args.get("closed_by") != "syncline")
        programs = soak_judge.read_truth(self.truth)
        ended = sum(program.ended for program in programs)
        self.told.update({"ended": ended, "closed": closed.total()})
        for program in programs:
            self.expect(closed[f"s{program.number}"] <= program.begun, f"more than happened: s{program.number}: {program}, {closed[f's{program.number}']} shown")
        told = closed.total() + lost
        self.expect((self.unbounded or ended <= told) and told <= self.told["begun"], f"{ended} to {self.told['begun']} ranges, {told} shown or lost")

    def judge_gpu(self, traces, lost, cut):
        if not traces:
            self.expect(self.told["begun"] == 0, "no trace")
            return
        missing = gpu_truth.undelivered(traces[0], str(self.truth))
        for late in traces[1:]:
            missing &= gpu_truth.undelivered(late, str(self.truth))
        self.told["missing"] = len(missing)
        self.expect(cut or len(missing) <= lost, f"{len(missing)} operations are missing, {lost} are told")

    def refused(self):
        """Whether the launcher said of whole processes that it has nothing of them."""
        said = self.read_said()
        return self.fault.startswith("d") and (b"were refused" in said or b"recorded is lost with it" in said)

    def read_said(self):
        self.said.seek(0)
        return self.said.read()

    def run(self):
        try:
            self.start()
            time.sleep(self.random.uniform(0.02, LONGEST))
            if self.process.poll() is None:
                self.do_fault()
            else:
                self.fault = "none"  # it was over before
            self.finish()
            self.judge()
        finally:
            subprocess.run(["umount", "-l", str(self.disk)], check=False)
        return self


def soak(arguments):
    deadline = time.monotonic() + arguments.seconds
    counts, failed = collections.Counter(), 0
    number = arguments.first
    while time.monotonic() < deadline:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
            trial = Trial(number, arguments, scratch).run()
            counts[trial.fault, not trial.faults] += 1
            counts[trial.fault, "unbounded"] += trial.unbounded
            if trial.faults:
                failed += 1
                print(f"FAULT in trial {number}: {trial.kind}, {trial.fault}: {trial.told}", *trial.faults[:5], trial.read_said().decode(errors="replace"),
                      sep="\n    ", flush=True)
        number += 1
    print(f"{'what went wrong':28} {'right':>7} {'wrong':>7} {'of these told as lost without a number':>40}")
    for fault in FAULTS:
        print(f"{fault:28} {counts[fault, True]:7} {counts[fault, False]:7} {counts[fault, 'unbounded']:40}")
    trials = number - arguments.first
    print("verdict: " + (f"FAILED: {failed} of {trials} trials" if failed else f"in each of {trials} trials every record is in the trace or told"))
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, prog="scripts/bench faults")
    parser.add_argument("--seconds", type=float, default=3600, help="[3600]")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().getrandbits(31), help="of a run to be had again [random]")
    parser.add_argument("--first", type=int, default=0, help="the number of the first trial [0]")
    parser.add_argument("--programs", type=lambda text: text.split(","), default=list(PROGRAMS), help=f"some of: {','.join(PROGRAMS)} [all]")
    parser.add_argument("--faults", type=lambda text: text.split(","), default=list(FAULTS), help=f"some of: {','.join(FAULTS)} [all]")
    parser.add_argument("--build", default=str(ROOT / "build/release"))
    arguments = parser.parse_args()
    if os.environ.get("SYNCLINE_SOAK_APART") != "yes":  # what is mounted is gone with us
        os.environ["SYNCLINE_SOAK_APART"] = "yes"
        os.execvp("unshare", ["unshare", "-m", "--propagation", "private", sys.executable, *sys.argv])
    del os.environ["SYNCLINE_SOAK_APART"]
    processes.become_reaper()
    print(f"faults for {arguments.seconds:g} s, seed {arguments.seed}", flush=True)
    return soak(arguments)


if __name__ == "__main__":
    sys.exit(main())
