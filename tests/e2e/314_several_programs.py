# SPDX-License-Identifier: Apache-2.0
"""Two programs with ranges and lines of the same names, as ranks of one job and one after the other in one rank: each has its own row,
and its own gain. A name that one program has stands alone. One after the other their gains add up, and are part of all their time; of two at
once the one that is done first gains nothing."""

import json
import os
import shutil

LABELS = ("mpi", "gpu")
MODES = ("launcher",)
STEPS = {"solve": 30, "render": 30}


def copies_of(t, program):
    """The same program under two names."""
    paths = [os.path.join(t.directory, name) for name in STEPS]
    for path in paths:
        shutil.copy(program, path)
    return paths


def report_of(t, recording):
    return json.loads(t.run([t.syncline, "report", recording.directory, "--format", "json", "--all"]).out)


def rows(report, name):
    return {row["program"]: row["count"] for row in report["stages"] if row["name"] == name}


def as_ranks(t):
    solve, render = copies_of(t, t.victim("deep"))
    mpirun = [t.need("mpirun.openmpi"), "--allow-run-as-root", "--oversubscribe"]
    for order in ("outside", "inside"):
        directory = t.new_directory()
        programs = ([solve, "2"], [render, "3"])
        if order == "inside":
            programs = [t.launch(program, (), directory) for program in programs]
        command = [*mpirun, "-n", "1", *programs[0], ":", "-n", "2", *programs[1]]
        recording = t.record_command(command if order == "inside" else t.launch(command, (), directory), directory, timeout=100)
        report = report_of(t, recording)
        for name, expected in (("level 0", {"solve": 1, "render": 2}), ("level 1", {"solve": 1, "render": 2}), ("level 2", {"": 2})):
            t.equal(rows(report, name), expected, f"{order}: {recording}")
        text = t.run([t.syncline, "report", directory]).out.decode()
        t.check("level 0 of render" in text and "level 2 of" not in text, text)


def in_one_rank(t):
    solve, render = copies_of(t, t.cuda_program("twins"))
    recording = record_script(t, f"{solve} stream_sync; SIMGPU_DURATIONS='*=600us' {render} stream_sync")
    report = report_of(t, recording)
    t.equal(rows(report, "step"), STEPS, f"{report['stages']}")
    found = waits_of(report)
    t.equal(set(found), set(STEPS), str(report["findings"]))
    for program, steps in STEPS.items():
        t.equal(found[program]["count"], steps + 3, f"with three to warm up: {found[program]}")
    text = t.run([t.syncline, "report", "--no-files", recording.directory]).out.decode()
    for program in STEPS:
        t.check(f"rank-0 ({program}), step " in text, text)
    gains = [found[program]["gain_ms"] for program in STEPS]
    t.check(all(gain > 0 for gain in gains) and gains[0] != gains[1], f"each has its own: {gains}")
    order = sorted(found.values(), key=lambda finding: finding["step"] or 99)
    t.equal([finding["step"] for finding in order], [1, 2], report["order"])
    t.equal([finding["more_ms"] for finding in order], [finding["gain_ms"] for finding in order], "they add up")
    of_steps = sum(row["total_ms"] for row in report["stages"] if row["name"] == "step")
    for finding in order:
        t.check(finding["gain_ms"] * 100 / finding["gain_percent"] > 0.9 * of_steps, f"of {of_steps} ms: {finding}")


def at_once(t):
    solve, render = copies_of(t, t.cuda_program("twins"))
    found = waits_of(report_of(t, record_script(t, f"{solve} stream_sync & SIMGPU_DURATIONS='*=10ms' {render} stream_sync; wait")))
    t.equal((found["solve"]["gain_ms"], found["solve"]["step"]), (0, None), "the other one takes a second longer")
    t.check(0 < found["render"]["gain_ms"] < 1000 and found["render"]["gain_percent"] <= 100, f"{found}")


def record_script(t, script):
    return t.record(["sh", "-c", script], env={**t.gpu_environment(), "SIMGPU_DURATIONS": "*=200us"})


def waits_of(report):
    return {one["program"]: one for one in report["findings"] if one["class"] == "stream"}


def test(t):
    as_ranks(t)
    t.simulated_only("kernels take what the table says")
    in_one_rank(t)
    at_once(t)
