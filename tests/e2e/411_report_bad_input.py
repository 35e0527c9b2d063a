# SPDX-License-Identifier: Apache-2.0
"""`syncline report` uses what is readable, and names the rest: what is not there, damaged, of another job, newer, or still to come."""

import glob
import gzip
import json
import os
import shutil

LABELS = ()


def report(t, directory, *options):
    return t.run([t.syncline, "report", directory, *options])


def health(t, directory):
    return json.loads(report(t, directory, "--format", "json").out)["health"]


def test(t):
    nothing(t)
    recording = t.record([t.victim("nvtx_c")])
    with gzip.open(os.path.join(recording.directory, "run", "rank-0.findings")) as file:
        good = json.load(file)
    for case in (missing_ranks, two_jobs, not_written, damaged):
        directory = t.path(case.__name__)
        shutil.copytree(recording.directory, directory)
        case(t, directory, good)
    without_findings(t, recording.directory, good)
    still_running(t)


def write(directory, good, rank, **facts):
    """The findings of the run as those of another rank."""
    document = {**good, "ranks": {f"rank-{rank}": {**good["ranks"]["rank-0"], "rank": rank, **facts}}}
    with gzip.open(os.path.join(directory, "run", f"rank-{rank}.findings"), "wt") as file:
        json.dump(document, file)


def holds(t, sentences, *words):
    t.check(any(all(word in sentence for word in words) for sentence in sentences), f"{words}: {sentences}")


def nothing(t):
    os.mkdir(t.path("empty"))
    os.makedirs(t.path("bare/run"))
    for directory, words in (("nowhere", "there is no directory"), ("empty", "no folder run/"), ("bare", "nothing was recorded")):
        told = report(t, t.path(directory))
        t.equal((told.status, told.out), (125, b""), f"{told}")
        t.said(told, words)
    t.equal(os.listdir(t.path("empty")), [], "nothing is left behind")


def missing_ranks(t, directory, good):
    write(directory, good, 0, world_size=5)
    write(directory, good, 2, world_size=5)
    open(os.path.join(directory, "run", "rank-3.left-out"), "w").close()
    told = health(t, directory)
    holds(t, told, "ranks 1 and 4 of 5 nothing is there")
    holds(t, told, "--ranks left rank 3 out")
    t.equal(report(t, directory).status, 0, "what is there is all right")


def two_jobs(t, directory, good):
    write(directory, good, 0, job="slurm 1")
    write(directory, good, 1, job="slurm 2")
    holds(t, health(t, directory), "2 jobs", "slurm 1 (rank-0)", "slurm 2 (rank-1)", "a directory of its own")


def not_written(t, directory, good):
    write(directory, good, 1, complete=False)
    holds(t, health(t, directory), "of rank-1 only a part", "syncline recover")


def damaged(t, directory, good):
    path = os.path.join(directory, "run", "rank-1.findings")
    for damage, words in ((b"", "no file of findings"), (b"\x1f\x8b", "rank-1.findings"), (b'{"a": 1}', "schema"),
                          (gzip.compress(b'{"schema": "syncline.findings/2"}'), "syncline.findings/2"),
                          (gzip.compress(b'{"schema": "syncline.findings/1", "stages": [{"launched": -1}]}'), '-1 in "launched"'),
                          (gzip.compress(b"[" * 100000), "no file of findings")):
        with open(path, "wb") as file:
            file.write(damage)
        told = report(t, directory)
        t.equal(told.status, 125, f"{damage[:20]}: {told}")
        t.said(told, path, words)
        t.check(b"1 rank on 1 host" in told.out and b"rank-1.findings" in told.out, f"{told}")


def without_findings(t, directory, good):
    os.remove(os.path.join(directory, "run", "rank-0.findings"))
    told = report(t, directory)
    t.equal((told.status, told.out), (125, b""), f"{told}")
    t.said(told, "the findings of rank-0.trace.json.gz are gone", "Record the run again")
    t.equal(told.err.count(b"\n"), 1, f"one line: {told}")
    write(directory, good, 1)
    told = report(t, directory)
    t.equal(told.status, 125, "the other rank's report is printed")
    t.said(told, "the findings of rank-0.trace.json.gz are gone")
    t.check(b"1 rank on 1 host" in told.out, f"{told}")


def still_running(t):
    """A launcher holds its mark locked while it is at work."""
    directory = t.new_directory()
    running = t.start(t.launch(["sleep", "30"], directory=directory))
    if t.mode == "launcher":  # it writes into its mark when that is locked
        marks = os.path.join(glob.escape(directory), "run", "spool", "*", "launcher-*.lock")
        t.until(lambda: any(os.path.getsize(mark) for mark in glob.glob(marks)), "the launcher's mark")
    else:
        t.until(lambda: os.path.isdir(os.path.join(directory, "run")), "the run's directory")
    told = report(t, directory)
    running.process.terminate()
    running.wait(20)
    t.equal((told.status, told.out), (125, b""), f"{told}")
    if t.mode == "launcher":
        t.said(told, "is not over", "again when it is")
