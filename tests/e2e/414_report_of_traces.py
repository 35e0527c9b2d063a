# SPDX-License-Identifier: Apache-2.0
"""`syncline report` makes the findings of a trace that has none, and they are those that were there; what is no trace of ours is named."""

import gzip
import json
import os
import shutil

LABELS = ("gpu",)
MODES = ("launcher",)

# (program, arguments): single steps, waits of all kinds, streams, graphs, several devices and threads.
PROGRAMS = (("training_step", "30"), ("copies",), ("allocations",), ("streams",), ("graphs",), ("multi_device",), ("many_threads",))
SHARE = 0.02


def test(t):
    t.simulated_only()
    for program, *arguments in PROGRAMS:
        recording = t.record([t.cuda_program(program), *arguments], env=t.gpu_environment())
        the_same_again(t, program, recording.directory)
    cannot_be_written(t, recording.directory)
    bare_trace(t, recording.directory)
    wrong_files(t, recording.directory)


def findings_of(t, directory):
    return json.loads(t.run([t.syncline, "findings", directory, "--json"]).out)


def report(t, directory, *options):
    return t.run([t.syncline, "report", directory, *options])


def the_same_again(t, program, directory):
    before = findings_of(t, directory)
    path = os.path.join(directory, "run", "rank-0.findings")
    os.remove(path)
    told = report(t, directory, "--no-files")
    t.equal(told.status, 0, f"{told}")
    t.said(told, "no findings of a trace", "made of what the trace tells", "written to run/", "They lack")
    t.check(os.path.exists(path), "findings were written")
    faults = list(differences("", before, findings_of(t, directory)))
    t.equal(faults, [], program)
    again = report(t, directory, "--no-files")
    t.equal((again.status, again.err, again.out), (0, b"", told.out), "the next report reads the findings")


def key_of(row):
    """What names a row of findings: its texts, and of a single wait when it was."""
    return tuple(sorted((name, value) for name, value in row.items() if isinstance(value, str))) + (row.get("begin_ns"), row.get("pid"), row.get("device"))


def differences(path, before, after):
    """What the findings of a trace may lack is passed by."""
    if path.endswith(("/missing", "/collectives", "/left_out")):
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for name in sorted(set(before) | set(after)):
            if name not in before or name not in after:
                yield f"{path}/{name}: only {'before' if name in before else 'after'}"
            else:
                yield from differences(f"{path}/{name}", before[name], after[name])
    elif isinstance(before, list) and before + after and isinstance((before + after)[0], dict):
        told, made = ({key_of(row): row for row in rows} for rows in (before, after))
        for key in sorted(set(told) | set(made), key=str):
            if key not in told or key not in made:
                yield f"{path}{key}: only {'before' if key in told else 'after'}"
            else:
                yield from differences(f"{path}{key}", told[key], made[key])
    elif isinstance(before, (int, float)) and not isinstance(before, bool):
        if abs(before - after) > SHARE * abs(before) + 200:
            yield f"{path}: {before} before, {after} after"
    elif before != after:
        yield f"{path}: {before} before, {after} after"


def cannot_be_written(t, directory):
    copy = t.path("not-writable")
    shutil.copytree(directory, copy)
    shutil.rmtree(os.path.join(copy, "run"))
    open(os.path.join(copy, "run"), "w").close()
    told = report(t, copy, "--no-files")
    t.equal(told.status, 0, f"{told}")
    t.said(told, "cannot", "The report is made all the same")
    t.said(told, "made of what the trace tells")


def bare_trace(t, directory):
    """A trace alone, in a directory of its own."""
    alone = t.path("alone")
    os.mkdir(alone)
    shutil.copy(os.path.join(directory, "rank-0.trace.json.gz"), alone)
    told = report(t, alone, "--format", "json", "--no-files")
    t.equal(told.status, 0, f"{told}")
    made = json.loads(told.out)
    t.equal([rank["name"] for rank in made["ranks"]], ["rank-0"])
    t.check(made["kernels"] and made["devices"], f"{made}")


def wrong_files(t, directory):
    with gzip.open(os.path.join(directory, "rank-0.trace.json.gz")) as file:
        good = file.read()
    compressed = gzip.compress(good)
    foreign = {"schemaVersion": 1, "distributedInfo": {"rank": 0}, "traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 2}]}
    for name, content, words in (
            ("cut", compressed[: len(compressed) // 2], "damaged, or not all of it is there"),
            ("half", gzip.compress(good[: len(good) // 2]), "it is no JSON, or it ends there"),
            ("foreign", gzip.compress(json.dumps(foreign).encode()), "was not written by Syncline"),
            ("list", gzip.compress(b"[1, 2, 3]"), "holds no events"),
            ("empty", b"", "no JSON"),
            ("deep", gzip.compress(b"[" * 1_000_000), "no JSON"),
            ("long", gzip.compress(b'{"a": "' + b"x" * (65 << 20)), "a line of more than 64 MiB"),
            ("noise", os.urandom(10000), "no JSON")):
        folder = t.path(name)
        os.mkdir(folder)
        with open(os.path.join(folder, "rank-0.trace.json.gz"), "wb") as file:
            file.write(content)
        told = report(t, folder)
        t.equal((told.status, told.out), (125, b""), f"{name}: {told}")
        t.said(told, "no findings can be made of a trace", words)
        t.said(told, "Record the run again")
        t.equal(os.listdir(folder), ["rank-0.trace.json.gz"], "nothing is left behind")
