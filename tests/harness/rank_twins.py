# SPDX-License-Identifier: Apache-2.0
"""What a report says that jobs of several ranks lose, beside what bare runs of their twins without that loss take.

`measure(t, case, ranks)` records one and runs both."""

import json
import os
import re
import statistics
from collections import namedtuple

import answers
import torchrun
import twins
from syncline_test import ROOT

FILE = "tests/torch_programs/twins_ranks.py"
DURATIONS = "*gemm*=2ms,*nccl*=500us,*=30us"
TRIES = 3


class Job(namedtuple("Job", "case ranks with_ms without_ms recorded_ms told_ms kind place")):
    @property
    def gain_ms(self):
        return self.with_ms - self.without_ms

    def is_right(self):
        return abs(self.told_ms - self.gain_ms) <= max(0.1 * self.gain_ms, 0.02 * self.with_ms)


def cases():
    with open(os.path.join(ROOT, FILE)) as file:
        return re.findall(r"# twin: (\w+)$", file.read(), re.MULTILINE)


def environment(t, ranks):
    return t.torch_environment({"SIMGPU_DEVICES": str(ranks), "SIMGPU_DURATIONS": DURATIONS, "PYTHONWARNINGS": "ignore"})


def took_ms(t, case, ranks, without, runs):
    env = environment(t, ranks)
    arguments = [case, *(["--without"] if without else [])]
    done = [t.past_exit_race(lambda: torchrun.run_ranks(t, "twins_ranks", ranks, *arguments, env=env), env) for _ in range(runs)]
    return statistics.median(twins.time_of(t, each)[1] for each in done)


def measure(t, case, ranks, runs=1):
    """What is told is the largest gain at the line with the loss."""
    env = environment(t, ranks)
    recording = t.past_exit_race(lambda: torchrun.record(t, "twins_ranks", ranks, case, env=env), env)
    t.equal(recording.status, 0, str(recording))
    findings = json.loads(t.run([t.syncline, "report", "--no-files", recording.directory, "--format", "json"]).out)["findings"]
    path, line = twins.marked_line(FILE, "twin", case)
    found = [finding for finding in findings if finding["gain_ms"] and answers.names(finding, path, [line])]
    best = max(found, key=lambda finding: finding["gain_ms"], default={"gain_ms": 0, "kind": "", "place": ""})
    _, recorded = twins.time_of(t, recording)
    return Job(case, ranks, took_ms(t, case, ranks, False, runs), took_ms(t, case, ranks, True, runs), recorded,
               best["gain_ms"], best["kind"], best["place"])


def judge(t, case, ranks):
    """Ends the test where the gain is wrong; a machine that is busy once gets another try."""
    for _ in range(TRIES):
        job = measure(t, case, ranks)
        print(job, flush=True)
        if job.is_right():
            return
    t.check(False, f"{job}: {job.gain_ms}")
