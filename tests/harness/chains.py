# SPDX-License-Identifier: Apache-2.0
"""Programs that lose time in three ways: what a report says that mending one after another brings, beside what it does bring.

`follow(t, case)` records one, takes the order of its report and makes one change after the other, bare."""

import json
import os
import re
import statistics
from collections import namedtuple

import answers
import twins
from syncline_test import ROOT

FILE = "tests/torch_programs/chains.py"
CASES = ("common", "loading", "files", "hidden", "memory", "uneven")
TRIES = 3
# Kernels and what the host does take so long that what a busy machine adds to each call is little beside them.
DURATIONS = "*gemm*=1800us,*=90us"

# `told_ms`: what the step brings, by the report; `true_ms`: by runs without it and with the steps before.
Step = namedtuple("Step", "name told_ms true_ms")


class Chain(namedtuple("Chain", "whole_ms steps unnamed")):
    """`unnamed`: steps of the report that are none of the program's three ways."""

    def faults(self):
        """More than 15 % off, and more than a hundredth of the time."""
        return [f"{step}: off" for step in self.steps if abs(step.told_ms - step.true_ms) > max(0.15 * abs(step.true_ms), 0.01 * self.whole_ms)]


def marks(case):
    """The line of each way."""
    with open(os.path.join(ROOT, FILE)) as file:
        return {name: number for number, line in enumerate(file, 1) for name in re.findall(rf"# chain: {case} (\w+)$", line)}


def environment(t):
    return {**t.torch_environment(), "SIMGPU_DURATIONS": DURATIONS}


def took_ms(t, case, made, runs):
    """Without a recording, and without what is made."""
    command = [*twins.ahead_of_others(), *t.torch_program("chains"), case, "--made", ",".join(made)]
    env = environment(t)
    return statistics.median(twins.time_of(t, t.past_exit_race(lambda: t.run(command, env=env), env))[1] for _ in range(runs))


def told_steps(t, case):
    """The report's findings in the order in which they are to be mended."""
    env = environment(t)
    command = [*twins.ahead_of_others(), *t.torch_program("chains"), case]
    recording = t.past_exit_race(lambda: t.record(command, env=env), env)
    t.equal(recording.status, 0, str(recording))
    findings = json.loads(t.run([t.syncline, "report", "--no-files", recording.directory, "--format", "json"]).out)["findings"]
    return sorted((finding for finding in findings if finding["step"]), key=lambda finding: finding["step"])


def follow(t, case, runs=3):
    lines, made, steps, unnamed = marks(case), [], [], []
    whole = before = took_ms(t, case, made, runs)
    for finding in told_steps(t, case):
        name = next((name for name, line in lines.items() if answers.names(finding, FILE, [line]) and name not in made), None)
        if name is None:
            unnamed.append(f"{finding['kind']} {finding['place']} {finding['more_ms']}")
            continue
        made.append(name)
        after = took_ms(t, case, made, runs)
        steps.append(Step(name, finding["more_ms"], before - after))
        before = after
    return Chain(whole, steps, unnamed)


def judge(t, case, names):
    """Ends the test where the steps are others, or bring something else; a machine that is busy once gets another try."""
    for _ in range(TRIES):
        chain = follow(t, case, runs=1)
        print(case, *chain.steps, *chain.unnamed, sep="\n  ", flush=True)
        faults = [*chain.faults(), *chain.unnamed]
        if [step.name for step in chain.steps] == names and not faults:
            return
    t.check(False, f"{case}: {chain}: {faults}")
