# SPDX-License-Identifier: Apache-2.0
"""Holds the trace of one rank of the soak against its truth file, exactly.

soak_judge.py DIR RANK TRUTH prints JSON: what was found, and `faults`. It is a process of its own for each rank because a trace is read
whole.

The rule. A program of the soak raises `begun` before each push and `ended` after each pop, in memory that outlives it. Its ranges are flat, so
the two differ by the threads that were inside of a range when it was killed or became another program, and they are equal where it came to its
end. Of each program `closed` is what the trace has as ended ranges. Without losses:

    ended <= closed <= begun,    and of ranges that the program never ended at most begun - ended

which for all that was not cut off is: closed == ended == begun. Losses are told by process, so where there are any, the programs that the process
was one after the other are added up, and the losses are added to `closed`.
"""

import collections
import json
import os
import re
import struct
import sys

HARNESS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "harness")
sys.path.insert(0, HARNESS)
import chrome_trace  # noqa: E402
import trace_check  # noqa: E402

HEAD = struct.Struct("<4Q")
SLOT = struct.Struct("<3QIhH")
LOSS = re.compile(r"syncline: (\d+) records? lost \((\w+)\)")
# A name, whose range is counted by itself; and that a recording has no end.
NOT_A_RANGE = ("definition", "consumer_gone")
PID_STEP = 2**22  # a pid that comes a second time is shown so much higher
MOST_TOLD = 20

Program = collections.namedtuple("Program", "number begun ended process pid rank forked")


def read_truth(path):
    """The programs that took a slot."""
    with open(path, "rb") as file:
        data = file.read()
    taken = HEAD.unpack_from(data)[0]
    return [Program(number, *SLOT.unpack_from(data, HEAD.size + number * SLOT.size)) for number in range(taken)]


class Judge:
    def __init__(self, directory, rank, truth):
        self.directory, self.rank = directory, rank
        self.programs = [program for program in read_truth(truth) if program.rank == rank]
        self.closed, self.open = collections.Counter(), collections.Counter()  # by program's name
        self.rows = collections.defaultdict(set)  # a process's pid in the trace: its programs' names
        self.losses = collections.defaultdict(collections.Counter)  # by the same pid
        self.faults = []

    def expect(self, good, fault):
        if not good:
            self.faults.append(fault)

    def read_trace(self):
        path = os.path.join(self.directory, f"rank-{self.rank}.trace.json.gz")
        self.faults += trace_check.check_trace(path) + trace_check.check_manifest(self.directory, str(self.rank), path)
        trace = chrome_trace.load(path)
        for found in trace.ranges():
            cut = found.args.get("closed_by") == "syncline"
            (self.open if cut else self.closed)[found.name] += 1
            self.rows[found.pid].add(found.name)
        for event in trace.events:
            told = LOSS.fullmatch(event["name"]) if event["ph"] == "i" else None
            if told:
                self.losses[event["pid"]][told.group(2)] += int(told.group(1))
        self.shown = len(trace.process_names())
        self.bytes = os.path.getsize(path)

    def join(self):
        """The processes: (programs, losses by kind). A row belongs to the process whose programs stand on it, and where nothing of them is
        left to see, to the one that has its pid and no row yet."""
        by_process = collections.defaultdict(list)
        for program in self.programs:
            by_process[program.process].append(program)
        process_of = {f"s{program.number}": program.process for program in self.programs}
        row_of = {}
        for pid, names in self.rows.items():
            found = {process_of.get(name) for name in names}
            self.expect(len(found) == 1 and None not in found, f"row {pid} holds ranges of several processes or of none here: {sorted(names)[:5]}")
            for process in found - {None}:
                self.expect(process not in row_of, f"process {process} has two rows: {row_of.get(process)} and {pid}")
                row_of[process] = pid
        for pid in self.losses.keys() - self.rows.keys():
            unseen = [process for process, programs in by_process.items() if process not in row_of and programs[0].pid == pid % PID_STEP]
            self.expect(len(unseen) == 1, f"row {pid} tells losses of one of the processes {unseen}")
            if len(unseen) == 1:
                row_of[unseen[0]] = pid
        return [(programs, self.losses.get(row_of.get(process), {})) for process, programs in by_process.items()]

    def judge_group(self, programs, lost):
        """Programs whose sums must fit: one, or all of a process that lost something."""
        names = [f"s{program.number}" for program in programs]
        begun, ended = sum(p.begun for p in programs), sum(p.ended for p in programs)
        closed, cut = sum(self.closed[name] for name in names), sum(self.open[name] for name in names)
        said = f"{' '.join(names)} (pid {programs[0].pid}): begun {begun}, ended {ended}; closed {closed}, open {cut}, lost {lost}"
        self.expect(ended <= closed + lost <= begun, said)
        self.expect(cut <= begun - ended, f"more open ranges than threads were inside of: {said}")

    def run(self):
        self.read_trace()
        for programs, losses in self.join():
            lost = sum(count for kind, count in losses.items() if kind not in NOT_A_RANGE)
            for group in [programs] if lost else [[program] for program in programs]:
                self.judge_group(group, lost)
        names = {f"s{program.number}" for program in self.programs}
        strange = (self.closed.keys() | self.open.keys()) - names
        self.expect(not strange, f"ranges that nobody of this rank recorded: {sorted(strange)[:5]}")
        with open(os.path.join(self.directory, "run", f"rank-{self.rank}.json")) as file:
            manifest = json.load(file)
        told = {kind: loss["count"] for kind, loss in manifest["losses"].items() if loss["count"]}
        summed = sum(self.losses.values(), collections.Counter())
        self.expect(told == dict(summed), f"the manifest tells losses {told}, the trace {dict(summed)}")
        firsts = [program for program in self.programs if program.number == program.process]
        # Killed at its very start a fork's child may have recorded nothing, and then nothing tells of it.
        sure = sum(program.ended > 0 or not program.forked for program in firsts)
        return {"programs": len(self.programs), "sure": sure, "forked": sum(program.forked for program in firsts), "cut": sum(p.begun != p.ended for p in self.programs),
                "begun": sum(p.begun for p in self.programs), "ended": sum(p.ended for p in self.programs),
                "closed": self.closed.total(), "open": self.open.total(), "losses": told, "bytes": self.bytes,
                "processes": len(firsts), "shown": self.shown, "left_out": manifest["processes_left_out"],
                "faults": self.faults[:MOST_TOLD], "fault_count": len(self.faults)}


def main(directory, rank, truth):
    print(json.dumps(Judge(directory, int(rank), truth).run()))


if __name__ == "__main__":
    main(*sys.argv[1:])
