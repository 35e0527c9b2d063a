# SPDX-License-Identifier: Apache-2.0
"""Communicators split from the whole meet like the whole; what nothing is said of is counted by its reason."""

import json
from collections import Counter

import torchrun

LABELS = ("gpu", "torch")
MODES = ("launcher",)
TIMEOUT = 240
RANKS, STEPS = 4, 3


def test(t):
    t.need_gpus(4)
    env = t.torch_environment({"SIMGPU_DEVICES": str(RANKS)})
    recording = torchrun.record(t, "groups", RANKS, str(STEPS), env=env)
    t.equal(recording.ending, "status 0", f"{recording}")
    told = json.loads(t.run([t.syncline, "findings", recording.directory, "--json"]).out)["collectives"]
    for rank in range(RANKS):
        truth = [json.loads(line) for line in open(t.truth(recording.trace(rank), env))]
        true = Counter((row["ranks"], "SendRecv" in row["name"]) for row in truth if row["op"] == "collective")
        t.check(true[2, False] >= STEPS, f"no collective of a pair: {true}")
        facts = told["ranks"][str(rank)]
        wanted = sum(count for (ranks, send), count in true.items() if ranks > 1 and not send)
        t.equal(facts["met"], wanted, f"rank {rank}: {facts}, truly {true}")
        sends = sum(count for (_, send), count in true.items() if send)
        t.check(sends > 0, f"nothing was sent: {true}")
        t.equal(facts["left_out"], {"alone": true[1, False]} if true[1, False] else {}, f"sends and receives meet: {true}")
