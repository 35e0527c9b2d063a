# SPDX-License-Identifier: Apache-2.0
"""Ranks that one process starts, without variables of a launcher: a trace for each, and the late one is named with its line."""

import json

import torchrun
from twins import marked_line

LABELS = ("gpu", "torch")
MODES = ("launcher",)
RANKS, LATE = 3, 1


def test(t):
    t.need_gpus(RANKS)
    env = t.torch_environment({"SIMGPU_DEVICES": str(RANKS), "SIMGPU_DURATIONS": "*=20us", "PYTHONWARNINGS": "ignore"})
    command = [*t.torch_program("spawned_ranks"), str(RANKS), str(LATE), str(torchrun.free_port())]
    recording = t.past_exit_race(lambda: t.record(command, env=env), env)
    t.equal(recording.status, 0, str(recording))
    t.equal(recording.ranks(), list(range(RANKS)), str(recording))
    t.equal([recording.manifest(rank)["world_size"] for rank in recording.ranks()], [RANKS] * RANKS, "each knows how many there are")
    first = json.loads(t.run([t.syncline, "report", recording.directory, "--format", "json"]).out)["findings"][0]
    t.equal((first["kind"], first["rank"]), ("late_rank", f"rank {LATE}"), str(first))
    path, line = marked_line("tests/torch_programs/spawned_ranks.py", "problem", "spawned_late")
    t.check(f"{path}:{line}" in first["before"] + first["where"], str(first))
