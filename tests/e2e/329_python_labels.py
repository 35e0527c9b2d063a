# SPDX-License-Identifier: Apache-2.0
"""Arguments label the calls of a Python function: by label and value, calls and the work that they gave a GPU are those that the program
counts itself. No code of the program runs when a label is read. What is no such list of functions is an error that says where."""

import json
import os

import interpreters
from syncline_test import ROOT

LABELS = ("python",)
TIMEOUT = 300
PROGRAM = os.path.join(ROOT, "tests", "python_programs", "labelled_calls.py")
CHOSEN = (
    "__main__.do_value(value),__main__.do_several(first, key),__main__.do_batch(batch.size),__main__.do_inner(batch.inner.inner.size),"
    "__main__.do_property(batch.computed),__main__.do_class(batch.kind),__main__.Server.do_request(request_id, batch.size),*.do_stream(request_id)"
)
BAD = {
    "serve.step(request_id": "at character 11",
    "serve.step()": "at character 12",
    "serve.step(a b)": "at character 12",
    "(a)": "at character 1",
    "serve.step(a), other(b": "at character 21",
}


def test(t):
    if t.mode == "launcher":
        errors(t)
    has_gpu = os.path.exists(os.path.join(t.gpu_environment()["LD_LIBRARY_PATH"], "libcudart.so.13"))
    for version, python in interpreters.found(t):
        if t.mode == "process" and version not in ("3.11", "3.13"):
            continue
        where = t.path(f"truth-{version}")
        gpu = has_gpu and version in ("3.11", "3.13")
        recording = t.record([python, PROGRAM, where, *(["gpu"] if gpu else [])], ["--python-ranges", CHOSEN],
                             t.gpu_environment() if gpu else {})
        compare(t, recording, json.load(open(where)), f"Python {version}")
        if version in ("3.11", "3.13"):
            stages(t, python, where, f"Python {version}")


def stages(t, python, where, what):
    """Labels of what is recorded of a stage alone, whose begin opens the gate."""
    chosen = ["--python-ranges", CHOSEN, "--stages", "*.do_request@py,*.do_class"]
    trace = t.record([python, PROGRAM, where], chosen).trace()
    labelled = [r for r in trace.ranges() if "do_request" in r.name or "do_class" in r.name]
    t.check(len(labelled) >= 33, f"{what}: {len(labelled)}")
    t.equal([r for r in labelled if not r.args.get("labels")], [], f"{what}: ranges of stages without labels")


def compare(t, recording, truth, what):
    t.equal(truth["ran"], [], f"{what}: code of the program that ran")
    t.equal(recording.losses(), {}, what)
    told = json.loads(report(t, recording, "--format", "json"))
    rows = {}
    for row in told["labels"]:
        rows[f"{row['label']} {row['value']} {row['name'].removeprefix('__main__.')}"] = row
    t.equal({key: row["count"] for key, row in rows.items()}, truth["counts"], f"{what}: calls")
    t.equal({key: row["launched"] for key, row in rows.items()}, truth["launched"], f"{what}: work of the GPU")
    in_trace = {}
    for r in recording.trace().ranges():
        is_stretch = r.args["domain"] == "py" and "Server" in r.name
        for label, value in r.args.get("labels", {}).items() if not is_stretch else ():
            if isinstance(value, dict):
                value = value["text"] + "..." if "text" in value else f"({value.get('object', 'missing')})"
            key = f"{label} {value} {r.name.removeprefix('__main__.')}"
            in_trace[key] = in_trace.get(key, 0) + 1
    t.equal(in_trace, truth["counts"], f"{what}: labels in the trace")
    table = report(t, recording, "--by", "request_id").decode()
    t.check("Stages by label" in table and "request 7" in table, table)
    unknown = t.run([t.syncline, "report", recording.directory, "--by", "request", "--no-files"])
    t.equal(unknown.status, 125, unknown)
    t.check("did you mean request_id" in unknown.err.decode(), unknown)


def report(t, recording, *words):
    done = t.run([t.syncline, "report", recording.directory, *words, "--no-files"])
    t.equal(done.status, 0, done)
    return done.out


def errors(t):
    for text, said in BAD.items():
        failed = t.run([t.syncline, "--python-ranges", text, "--", "true"])
        t.equal(failed.status, 125, failed)
        t.check(said in failed.err.decode(), failed)
