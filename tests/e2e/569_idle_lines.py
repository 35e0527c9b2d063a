# SPDX-License-Identifier: Apache-2.0
"""Where the GPU has nothing to do because of one line, the first finding of the report names that line, and the same in each run; where
that line calls a function, the line in there, too."""

import json
import re

from twins import marked_line

LABELS = ("gpu", "torch")
MODES = ("launcher",)
TIMEOUT = 300
TORCH, CUDA = "tests/torch_programs/idle.py", "tests/simulated_gpu/programs/idle.cu"
RUNS = {"generator": 2, "tail": 2, "prepare": 5, "together": 5}  # of the others one; those of PyTorch take long
KINDS = {"generator": "data_work", "loader": "data_work", "workers": "data_work", "handed": "data_work", "tail": "host_work"}
CASES = ([(TORCH, case) for case in ("generator", "loader", "workers", "handed", "tail", "sleep", "log", "save")] +
         [(CUDA, case) for case in ("prepare", "halo", "hostbound", "together")])


def test(t):
    t.simulated_only("kernels take what the table says")
    for path, case in CASES:
        told = {first_finding(t, path, case) for _ in range(RUNS.get(case, 1))}
        t.equal(len(told), 1, f"{case}: one line in all runs: {told}")
        [(where, below, kind)] = told
        t.equal(kind, KINDS.get(case, kind), f"{case}: {where}")
        t.check(names(where, marked_line(path, "idle", case)), f"{case}: {where}")
        if case in ("generator", "save"):
            t.check(names(below, marked_line(path, "below", case)), f"{case}: below {below}")


def first_finding(t, path, case):
    env = {**t.torch_environment(), "SIMGPU_DURATIONS": "*=200us", "SIMGPU_DEVICES": "2"}
    command = [*t.torch_program("idle"), case] if path == TORCH else [t.cuda_program("idle"), case]
    recording = t.past_exit_race(lambda: t.record(command, env=env), env)
    t.equal(recording.status, 0, str(recording))
    told = json.loads(t.run([t.syncline, "report", recording.directory, "--format", "json"]).out)
    worth = [finding for finding in told["findings"] if finding["worth"]]
    alone = case == "together"  # the other thread waits as long, so what this line brings is not known
    t.check(worth and (worth[0]["gain_percent"] is None if alone else worth[0]["gain_percent"] > 5), f"{case}: {worth[:2]}")
    t.check(not alone or worth[0]["blocked_ms"] > 24 * (5 - 0.2), f"{case}: what lies between its kernels {worth[:2]}")
    # Not the line before: how often launches have stacks depends on the clock.
    return worth[0]["where"], worth[0]["below"], worth[0]["kind"]


def names(text, marked):
    """Whether a place is that line, or a few lines with it."""
    path, number = marked
    match = re.match(r"(.+?):(\d+)(?:[-,](\d+))? ", text)
    return match and path.endswith(match[1]) and int(match[2]) <= number <= int(match[3] or match[2]) <= int(match[2]) + 2
