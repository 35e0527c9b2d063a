# SPDX-License-Identifier: Apache-2.0
"""Compares what a recording of a PyTorch program says with the simulated GPUs' truth file, and with the true times of its stages
(tests/torch_programs/stages.py).

torch_judge.py [--nodes] TRACE TRUTH [STAGES]     prints each difference and the figures; exit status 1 if there is a difference
                                                  --nodes: recorded with --cuda-graphs node"""

import json
import sys
from collections import Counter, defaultdict

from gpu_truth import FIRST_CORRELATION, Comparison
from wait_costs import WaitCosts
from wait_pairs import WaitPairs

LAUNCHED = ("kernel", "collective", "memcpy", "memset")
MOST_SHOWN = 10


def rows(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


class Judged:
    """`faults`: what is wrong, but for waits that are not there; `right`, `missed`, `hidden`, `invented` and `unneeded`: wait_pairs.py;
    `blocked_ns`: by class, how many waits for something are right, and how long they took by
    the truth and by the trace (wait_costs.py)."""

    def __init__(self, trace_path, truth_path, stages_path=None, nodes=False):
        compared = Comparison(trace_path, truth_path, nodes=nodes)
        self.trace, self.matched, self.faults = compared.trace, compared.matched, list(compared.faults)
        self.truth = rows(truth_path)
        self.launched = [row for row in self.truth if row["op"] in LAUNCHED]
        self.calls = {call.args["correlation"] - FIRST_CORRELATION: call for call in self.trace.calls() if "correlation" in call.args}
        self.judge_calls()
        self.staged = Counter()
        if stages_path:
            self.judge_stages(rows(stages_path))
        pairs = WaitPairs(self.trace, self.truth, compared.offsets, compared.error_ns)
        self.right, self.missed, self.hidden = pairs.right, pairs.missed, pairs.hidden
        self.invented, self.unneeded = pairs.invented, pairs.unneeded
        costs = WaitCosts(self.trace, self.truth, compared.offsets, compared.error_ns)
        self.blocked_ns = costs.blocked_ns
        for fault in costs.faults:
            self.fault(False, fault)

    def fault(self, good, text):
        if not good and len(self.faults) < MOST_SHOWN:
            self.faults.append(text)

    def judge_calls(self):
        """Each launch stands on the thread that made it, under the name that the program called."""
        for row in self.launched:
            call = self.calls.get(row["correlation"])
            self.fault(call is not None, f"no call made {row['name']} ({row['correlation']})")
            if call is not None:
                name = row["call"].removeprefix("__")
                self.fault((call.tid, call.name) == (row["thread"], name), f"{call} is not {row}")

    def judge_stages(self, stages):
        """Each launch stands in the ranges in which it was made, and in no other of those."""
        names, by_thread = {stage["name"] for stage in stages}, defaultdict(list)
        for stage in stages:
            by_thread[stage["thread"]].append(stage)
        ranges = defaultdict(list)
        for r in self.trace.ranges():
            if r.name in names:
                ranges[r.tid].append(r)
        for row in self.launched:
            call = self.calls.get(row["correlation"])
            if call is None:
                continue
            around = [s for s in by_thread[row["thread"]] if s["start_ns"] <= row["queued_ns"] <= s["end_ns"]]
            true = [s["name"] for s in sorted(around, key=lambda s: s["start_ns"])]
            told = [r.name for r in ranges[call.tid] if r.begin <= call.begin and call.end <= r.end]
            self.fault(true == told, f"{call.name} of {row['name']} in {true} is told to be in {told}")
            self.staged[" > ".join(true)] += 1

    def __repr__(self):
        return (f"{self.right} waits right; missed {self.missed}; hidden {self.hidden}; invented {self.invented}; "
                f"told, but over when the driver looked {self.unneeded}; "
                f"how many took, and are told to have taken, ns: {dict(self.blocked_ns)}")

    def waits(self, name):
        """The calls that waited inside ranges of that name."""
        around = self.trace.ranges(name=name)
        return [call for call in self.trace.calls() if "class" in call.args
                and any(r.tid == call.tid and r.begin <= call.begin and call.end <= r.end for r in around)]


def main():
    paths = [word for word in sys.argv[1:] if word != "--nodes"]
    found = Judged(*paths, nodes="--nodes" in sys.argv)
    print("\n".join(found.faults))
    print(f"{found.matched} operations matched, {len(found.launched)} launches judged; stages {dict(found.staged)}")
    print(found)
    return 1 if found.faults or found.missed or found.invented else 0


if __name__ == "__main__":
    sys.exit(main())
