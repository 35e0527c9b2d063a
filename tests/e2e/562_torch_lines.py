# SPDX-License-Identifier: Apache-2.0
"""Every wait of a program of PyTorch is told at its line in the source, and at no other: the lines say themselves that they wait. The
findings and the manifest name lines too."""

import json
import os
import re

LABELS = ("gpu", "torch")
TIMEOUT = 240
# The first launch of a kernel loads its code: not all calls that launch bear a stack.
WITHOUT = {"module_load", "queue_full"}


def test(t):
    command = t.torch_program("lines")
    with open(command[-1]) as file:
        marked = {number for number, line in enumerate(file, 1) if line.endswith("# waits\n")}
    # Long kernels: what was freed behind one has to be pending still, on a busy machine too.
    env = t.torch_environment({"SIMGPU_DURATIONS": "*=40ms"})
    recording = t.past_exit_race(lambda: t.record(command, env=env), env)
    t.equal(recording.ending, "status 0", str(recording))
    waits = [e["args"] for e in recording.trace(0).events if e.get("cat") == "sync_wait" and e["args"]["class"] not in WITHOUT]
    told = {int(re.fullmatch(r".*lines\.py:(\d+) .*", wait["where"])[1]) for wait in waits}
    t.equal(told, marked, "lines that wait")
    for event in recording.trace(0).events:
        t.check(event.get("args", {}).get("where") != "", f"a place: {event}")
        in_python = event["pid"] == event["tid"]  # in autograd's threads calls without hooks have none of Python's frames
        if in_python and "where" in event.get("args", {}) and event["cat"] != "sync_wait":
            t.check(event["args"]["stack"].endswith("<module>"), f"a whole stack: {event}")
    table = t.run([t.syncline, "findings", recording.directory]).out.decode()
    t.check(re.search(r"\nWaits .*\n.*lines\.py:\d+ ", table), f"the table of lines: {table}")
    with open(os.path.join(recording.directory, "run", "rank-0.json")) as file:
        lines = json.load(file)["waits_by_line"]
    t.equal(sorted(lines, key=lambda line: -line["blocked_us"]), lines, "costliest first")
    t.equal(sum(line["count"] for line in lines if line["class"] not in WITHOUT), len(waits), "all waits are among them")
