# SPDX-License-Identifier: Apache-2.0
"""`syncline export --format memory-snapshot`, read by Python and by PyTorch's own tools: each byte that the program counted is there, also of a
program that was killed. What cannot be exported is said."""

import collections
import json
import pickle

LABELS = ("gpu", "torch")
MODES = ("launcher",)
TIMEOUT = 240
STEPS = 4


def test(t):
    t.simulated_only()
    env, program = t.torch_environment(), t.torch_program("memory")
    recording = t.record([*program, "killed", str(STEPS)], (), env)
    t.equal(recording.ending, "signal 9", f"{recording}")
    rows = [json.loads(line) for line in recording.out.decode().splitlines() if line.startswith('{"step"')]
    file = t.path("of rank 0.pickle")
    export = [t.syncline, "export", recording.directory, "--format", "memory-snapshot"]
    t.equal(t.run([*export, "-o", file]).ending, "status 0", "export")
    with open(file, "rb") as opened:
        snapshot = pickle.load(opened)
    check(t, snapshot, rows)
    viewer = [*program[:-1], "-m", "torch.cuda._memory_viz"]
    traced = t.run([*viewer, "trace", file], env)
    t.check(traced.ending == "status 0" and b"cudaMalloc(" in traced.out, f"{traced}")
    page = t.path("memory.html")
    t.equal(t.run([*viewer, "trace_plot", file, "-o", page], env).ending, "status 0", "PyTorch's page")
    t.check("snapshot.pickle" in t.text(page), "the page")
    refused(t, export)


def check(t, snapshot, rows):
    last = rows[-1]
    t.equal(sum(segment["total_size"] for segment in snapshot["segments"]), last["reserved_current"], "reserved")
    t.equal(sum(segment["allocated_size"] for segment in snapshot["segments"]), last["allocated_current"], "allocated")
    for segment in snapshot["segments"]:
        at = segment["address"]
        for block in segment["blocks"]:
            t.equal(block["address"], at, "blocks stand one behind the other")
            at += block["size"]
        t.equal(at, segment["address"] + segment["total_size"], "and fill the segment")
    [trace] = snapshot["device_traces"]
    actions = collections.Counter(event["action"] for event in trace)
    t.equal(actions["free_requested"], actions["free_completed"], f"{actions}")
    level = peak = 0
    for event in trace:
        level += {"alloc": event["size"], "free_completed": -event["size"]}.get(event["action"], 0)
        peak = max(peak, level)
    t.equal((level, peak), (last["allocated_current"], max(row["allocated_peak"] for row in rows)), "allocated, by events")
    times = [event["time_us"] for event in trace]
    t.equal(times, sorted(times), "times")
    standing = [block for segment in snapshot["segments"] for block in segment["blocks"] if block["state"] == "active_allocated"]
    t.check(all(any(frame["filename"].endswith("memory.py") for frame in block["frames"]) for block in standing), "lines of what stands")
    first = standing[0]["frames"]
    t.check(first[-1]["name"] == "<module>" and first[-1]["line"] > 0, f"the innermost frame is the first: {first}")


def refused(t, export):
    said(t, [*export, "--rank", "3"], "rank 3 has no memory recorded", "rank-0")
    said(t, [*export[:-1], "parquet"], "there is no format", "memory-snapshot")
    empty = t.record(["/bin/true"], (), complete=False).directory
    said(t, [t.syncline, "export", empty, "--format", "memory-snapshot"], "no memory of an allocator")


def said(t, command, *words):
    done = t.run(command)
    t.equal(done.ending, "status 125", f"{done}")
    t.said(done, *words)
