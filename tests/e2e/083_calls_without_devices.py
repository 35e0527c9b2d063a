# SPDX-License-Identifier: Apache-2.0
"""A source without devices: its calls are in the trace, those that wait are waits with their cause, at their line and in their stage; and
nothing speaks of GPUs."""

import json
import os

import extra_collectors

TIMEOUT = 900
PROGRAM = os.path.join(extra_collectors.MESSAGES, "exchange.py")
STEPS, CHECKPOINTS = 20, 4
SLEPT = {"halo": 3 * STEPS, "checkpoint": 8 * CHECKPOINTS}  # ms: what was asked for; a sleep takes no less


def test(t):
    t.syncline = extra_collectors.build(t)
    module = build_module(t)
    for _ in range(3):
        recording = t.record([t.need("python3"), PROGRAM, module], ["--python-ranges", "*.halo,*.checkpoint"])
        t.equal((recording.ending, recording.err, recording.losses()), ("status 0", b"", {}), f"{recording}")
        halo, checkpoint = map(int, recording.out.split())
        check_trace(t, recording.trace())
        check_report(t, recording, halo / 1e6, checkpoint / 1e6)


def build_module(t):
    gcc, folder = t.need("gcc"), extra_collectors.MESSAGES
    library, module = t.path("libms.so"), t.path("libexchange.so")
    shared = [gcc, "-shared", "-fPIC"]
    extra_collectors.succeed(t, [*shared, "-Wl,-soname,libms.so", "-o", library, f"{folder}/ms.c"])
    link = ["-L" + os.path.dirname(library), "-lms", "-Wl,-rpath," + os.path.dirname(library)]
    extra_collectors.succeed(t, [*shared, "-o", module, f"{folder}/exchange.c", *link])
    return module


def line_of(words):
    with open(PROGRAM, encoding="utf-8") as program:
        [number] = [number for number, line in enumerate(program, 1) if words in line]
    return f"{PROGRAM}:{number}"


def check_trace(t, trace):
    names = [slice.name for slice in trace.slices(cat="message")]
    t.equal({name: names.count(name) for name in set(names)}, {"ms_receive": STEPS, "ms_send": STEPS, "ms_read": CHECKPOINTS})
    waits = [(slice.name, slice.args["class"]) for slice in trace.slices(cat="sync_wait")]
    t.equal(sorted(waits), [("ms_read: a file", "file")] * CHECKPOINTS + [("ms_receive: another process", "peer")] * STEPS)
    for wait, call in zip(trace.slices(cat="sync_wait"), (c for c in trace.slices(cat="message") if c.name != "ms_send")):
        t.equal((wait.begin, wait.end, call.args["class"]), (call.begin, call.end, wait.args["class"]), f"{wait} {call}")
        t.check(wait.args["where"] == call.args["where"], f"{wait} {call}")
    said = json.dumps([event for event in trace.events if event["ph"] == "M"])
    t.check("GPU" not in said and "device" not in said, said)


def check_report(t, recording, halo_ms, checkpoint_ms):
    report = json.loads(t.run([t.syncline, "report", "--format", "json", recording.directory]).out)
    wanted = [
        ("peer_wait", line_of("exchange_halo") + " halo()", STEPS, halo_ms, "send it earlier"),
        ("file_wait", line_of("exchange_checkpoint") + " checkpoint()", CHECKPOINTS, checkpoint_ms, "read ahead"),
    ]
    found = report["findings"]
    t.equal([(f["kind"], f["where"], f["count"]) for f in found], [row[:3] for row in wanted], f"{found}")
    stages = {stage["name"]: stage for stage in report["stages"]}
    for finding, (_, _, _, ms, advice), stage in zip(found, wanted, ("halo", "checkpoint")):
        t.check(finding["stage"].endswith(stage) and advice in finding["advice"], f"{finding}")
        for blocked in (finding["blocked_ms"], next(s["blocked_ms"] for name, s in stages.items() if name.endswith(stage))):
            t.check(SLEPT[stage] <= blocked <= ms, f"{blocked} ms of {ms} ms: {finding} {stages}")
    t.equal((report["devices"], report["kernels"], report["copies"]), ([], [], []))
    text = t.run([t.syncline, "report", recording.directory]).out
    t.check(b"GPU" not in text and b"ernel" not in text and b"evice" not in text, text.decode())
