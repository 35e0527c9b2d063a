# SPDX-License-Identifier: Apache-2.0
"""`syncline report` prints what to change and what time was spent on, in four formats, and leaves it beside the traces."""

import csv
import gzip
import io
import json
import os
import re
import shutil
import stat

LABELS = ("gpu",)


def report(t, directory, *options, env=None):
    return t.run([t.syncline, "report", directory, *options], env=env)


def test(t):
    t.simulated_only()
    recording = t.record([t.cuda_program("training_step"), "30"], env=t.gpu_environment())
    texts(t, recording.directory)
    texts(t, nothing_found(t, recording.directory), "nothing found whose change")
    formats(t, recording.directory)
    rows(t, recording.directory)
    files(t, recording.directory)
    classes(t, recording.directory)
    cannot_write(t, recording.directory)
    limited(t)


def limited(t):
    """Options that let only a part be recorded stand in the head of each format; those that fitted nothing are told after the run."""
    options = ["--ranks", "0", "--duration", "10m", "--kernels", "no_such*", "--own", "nowhere/*"]
    recording = t.record([t.cuda_program("training_step"), "3"], options=options, env=t.gpu_environment())
    t.said(recording, "no kernel fits --kernels", "there are ", "--ranks 0 chose nothing: no process of the run has a rank")
    t.said(recording, "no line fits --own 'nowhere/*': there are ")
    limits = "limited recording: --duration 10m"
    t.equal(report(t, recording.directory).out.decode().splitlines()[1], limits)
    t.check(f"**{limits}**" in report(t, recording.directory, "--format", "md").out.decode().replace("\\", ""), "Markdown")
    t.equal(json.loads(report(t, recording.directory, "--format", "json").out)["limits"], ["--duration 10m"])
    with open(os.path.join(recording.directory, "report", "report.html")) as file:
        t.check(limits in file.read(), "the page")


def nothing_found(t, directory):
    """The same run with nothing that could be changed, however busy the machine was."""
    bare = t.path("bare")
    shutil.copytree(directory, bare)
    path = os.path.join(bare, "run", "rank-0.findings")
    with gzip.open(path) as file:
        findings = json.load(file)
    findings.update({"prices": [], "waits": [], "gaps": [], "longest_waits": []})
    with gzip.open(path, "wt") as file:
        json.dump(findings, file)
    return bare


def texts(t, directory, words=""):
    for columns in (40, 80, 120):
        told = report(t, directory, "--no-files", env={"COLUMNS": str(columns), "TERM": "xterm"})
        t.equal((told.status, told.err), (0, b""), f"{told}")
        lines = told.out.decode().splitlines()
        t.check(len(lines) <= 60 and max(map(len, lines)) <= columns, f"{columns} columns: {told}")
        t.check(lines[0].endswith("(Simulated)"), f"{lines[0]}")
        t.check(words in " ".join(" ".join(lines[:10]).split()), f"no {words!r}: {told}")
        t.check(b"\033" not in told.out, "colours are for terminals")
    t.check(not os.path.exists(os.path.join(directory, "report")), "--no-files left files")
    for env, coloured in (({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)):
        command = f"{t.syncline} report {directory} --no-files"
        told = t.run([t.need("script"), "-qec", command, "/dev/null"], env={"TERM": "xterm", "COLUMNS": "80", **env})
        t.equal(b"\033[1m" in told.out, coloured, f"colours with {env}: {told}")


def formats(t, directory):
    told = json.loads(report(t, directory, "--format", "json").out)
    t.equal((told["schema"], told["devices_are"]), ("syncline.report/1", "Simulated"))
    findings = json.loads(t.run([t.syncline, "findings", directory, "--json"]).out)
    total = sum(row["total_ns"] for row in findings["kernels"]) / 1e6
    t.check(abs(sum(row["total_ms"] for row in told["kernels"]) - total) < 1e-3, "sums of kernels")
    t.check(abs(sum(row["total_ms"] for row in told["kernel_classes"]) - total) < 1e-3, "sums of classes")
    rows = list(csv.DictReader(io.StringIO(report(t, directory, "--format=csv").out.decode())))
    t.equal(len(rows), len(told["findings"]), "rows of the CSV")
    t.check(b"**Simulated**" in report(t, directory, "--format", "md").out, "Markdown")
    wrong = report(t, directory, "--format", "xml")
    t.equal((wrong.status, wrong.out), (125, b""))
    t.said(wrong, "no format xml", "text, json, md, csv and findings")


def rows(t, directory):
    """--sort and --limit: tables are sorted by the column as it is called there, and have so many rows, in each format."""
    counts = [row["count"] for row in json.loads(report(t, directory, "--format", "json", "--sort", "count", "--limit", "3").out)["kernels"]]
    every = [row["count"] for row in json.loads(report(t, directory, "--format", "json").out)["kernels"]]
    t.equal(counts, sorted(every, reverse=True)[:3])
    for options, head, behind, between in (([], "Kernels", 1, "  +"), (["--format", "md"], "| kernel |", 2, r" \| ")):
        told = report(t, directory, "--sort", "count", "--limit", "3", *options).out.decode().splitlines()
        [first] = [number for number, line in enumerate(told) if line.startswith(head)]
        shown = [int(re.split(between, line)[1].replace(",", "")) for line in told[first + behind:first + behind + 3]]
        t.equal(shown, counts, f"{told[first:first + 6]}")
    table = report(t, directory, "--all", "--format", "csv", "--sort", "count", "--limit", "2").out.decode()
    found = [int(row["count"]) for row in csv.DictReader(io.StringIO(table))]
    t.check(len(found) <= 2 and found == sorted(found, reverse=True), f"{table}")
    wrong = report(t, directory, "--sort", "cuont")
    t.equal((wrong.status, wrong.out), (125, b""))
    t.said(wrong, "no table has a column cuont", "did you mean count", "--sort takes ")
    t.said(report(t, directory, "--limit", "0"), "would show no row")
    report(t, directory, "--sort", "count", "--limit", "1")
    with open(os.path.join(directory, "report", "summary.md")) as file:
        t.equal(file.read(), report(t, directory, "--no-files", "--format", "md").out.decode(), "the files have the whole report")


def files(t, directory):
    folder = os.path.join(directory, "report")
    t.said(report(t, directory), f"the page: {folder}/report.html")
    stages = [f"{name}_breakdown.json" for name in ("all-reduce", "backward", "forward", "optimizer", "step")]
    t.equal(sorted(name for name in os.listdir(folder) if name != "report.html"), sorted([*stages, "breakdown.json", "summary.md", "timing.json"]))
    t.equal(stat.S_IMODE(os.stat(folder).st_mode), 0o700)
    for name in os.listdir(folder):
        t.equal(stat.S_IMODE(os.stat(os.path.join(folder, name)).st_mode), 0o600, name)
    with open(os.path.join(folder, "timing.json")) as file:
        t.equal(json.load(file)["schema"], "syncline.timing/1")
    with open(os.path.join(folder, "breakdown.json")) as file:
        breakdown = json.load(file)
    t.equal(breakdown["schema"], "syncline.breakdown/1")
    [device] = breakdown["temporal"]
    parts = device["idle_ms"] + device["compute_ms"] + device["non_compute_ms"]
    t.check(abs(parts - device["total_ms"]) < 1e-3, f"{device}")


def classes(t, directory):
    path = t.path("my.classes")
    with open(path, "w") as file:
        file.write("# all of them\nattention *\n")
    told = json.loads(report(t, directory, "--format", "json", "--kernel-classes", path).out)
    t.equal({row["class"] for row in told["kernels"]}, {"attention"})
    with open(path, "a") as file:
        file.write("conv *conv*\n")
    wrong = report(t, directory, "--kernel-classes", path)
    t.equal((wrong.status, wrong.out), (125, b""))
    t.said(wrong, "my.classes:3: there is no class", "element-wise")
    t.said(report(t, directory, "--kernel-classes", t.path("none")), "cannot read", "lines `class pattern`")


def cannot_write(t, directory):
    """A file stands where the folder should be; the report is printed all the same."""
    os.rename(os.path.join(directory, "report"), t.path("before"))
    open(os.path.join(directory, "report"), "w").close()
    told = report(t, directory)
    t.equal(told.status, 125, f"{told}")
    t.said(told, "cannot write", "summary.md", "--no-files")
    t.check(b"Kernels" in told.out, f"{told}")
    os.remove(os.path.join(directory, "report"))
    for out in ("> /dev/full", ">&-"):
        full = t.run(["sh", "-c", f"{t.syncline} report {directory} --no-files {out}"])
        t.equal(full.status, 125, f"{full}")
        t.said(full, "cannot write to stdout")
