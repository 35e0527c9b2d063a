# SPDX-License-Identifier: Apache-2.0
"""The program that the soak records: starts short lives of every kind, at random from a seed, and kills some of them.

soak_driver.py TRUTH VICTIM SECONDS SEED RANKS RATE RESULT: for so many seconds about RATE programs a second, then waits for all of them and
writes what it did to RESULT (JSON).
"""

import ctypes
import heapq
import json
import os
import random
import resource
import signal
import struct
import sys
import time

PR_SET_CHILD_SUBREAPER = 36
STOP, COUNT_OF_SILENT = 8, 16  # where in the truth file these words stand (tests/victims/soak.c)
# How often each kind is started, and how long it lives at most, in seconds, which is how far a random kill may lie ahead.
KINDS = {"silent": (30, 0.004), "short": (25, 0.05), "threads": (15, 0.1), "fork": (12, 0.05), "raw": (8, 0.05),
         "exec2": (6, 0.1), "exec4": (3, 0.1), "burst": (0.6, 1.5)}
KILLED = 0.2  # of the programs
SILENT = "/bin/true"


class Driver:
    def __init__(self, truth, victim, seed, ranks):
        self.truth, self.victim, self.ranks = truth, victim, ranks
        self.truth_file = os.open(truth, os.O_WRONLY)
        self.random = random.Random(seed)
        self.living = {}  # pid: kind, of our children; who is in here was not waited for, so that its pid is nobody else's
        self.kills = []  # heap of (when, pid)
        self.started = {kind: 0 for kind in (*KINDS, "steady")}
        self.killed = 0
        self.silent_ended = 0  # by themselves

    def tell(self, where, number):
        os.pwrite(self.truth_file, struct.pack("<Q", number), where)

    def start(self, kind, rank):
        environment = {**os.environ, "RANK": str(rank), "LOCAL_RANK": str(rank),
                       "WORLD_SIZE": str(self.ranks), "LOCAL_WORLD_SIZE": str(self.ranks)}
        command = [SILENT] if kind == "silent" else [self.victim, self.truth, str(self.random.getrandbits(31)), kind]
        pid = os.posix_spawn(command[0], command, environment)
        self.living[pid] = kind
        self.started[kind] += 1
        self.tell(COUNT_OF_SILENT, self.started["silent"])
        return pid

    def start_one(self):
        kind = self.random.choices(list(KINDS), [share for share, _ in KINDS.values()])[0]
        pid = self.start(kind, self.random.randrange(self.ranks))
        if self.random.random() < KILLED:
            heapq.heappush(self.kills, (time.monotonic() + self.random.random() * KINDS[kind][1], pid))

    def kill_due(self):
        while self.kills and self.kills[0][0] <= time.monotonic():
            _, pid = heapq.heappop(self.kills)
            if pid in self.living:
                os.kill(pid, signal.SIGKILL)

    def reap(self):
        """Waits for all that ended, orphans among them. False: nothing is left."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            kind = self.living.pop(pid, None)
            self.killed += kind is not None and os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
            self.silent_ended += kind == "silent" and status == 0
            if self.kills and pid not in self.living:  # its pid may come again
                self.kills = [item for item in self.kills if item[1] != pid]
                heapq.heapify(self.kills)

    def run(self, seconds, rate):
        end = time.monotonic() + seconds
        for rank in range(self.ranks):
            self.start("steady", rank)
        next_start = time.monotonic()
        while time.monotonic() < end:
            if next_start <= time.monotonic():
                self.start_one()
                next_start = max(next_start + self.random.expovariate(rate), time.monotonic() - 1)
            self.kill_due()
            self.reap()
            due = min([next_start, end] + [at for at, _ in self.kills[:1]])
            time.sleep(max(0.0, min(due - time.monotonic(), 0.02)))
        self.tell(STOP, 1)
        while self.reap():
            self.kill_due()
            time.sleep(0.005)


def main(truth, victim, seconds, seed, ranks, rate, result):
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    driver = Driver(truth, victim, int(seed), int(ranks))
    driver.run(float(seconds), float(rate))
    with open(result + ".tmp", "w") as file:
        json.dump({"started": driver.started, "killed": driver.killed, "silent_ended": driver.silent_ended}, file)
    os.rename(result + ".tmp", result)


if __name__ == "__main__":
    main(*sys.argv[1:])
