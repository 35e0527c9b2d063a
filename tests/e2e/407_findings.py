# SPDX-License-Identifier: Apache-2.0
"""`syncline findings` tells what was found, of one rank and of several, with the traces and without them; what is damaged is named."""

import gzip
import json
import os
import shutil
from collections import Counter

LABELS = ("gpu",)


def findings(t, directory, *options):
    return t.run([t.syncline, "findings", directory, *options])


def test(t):
    t.simulated_only()
    training(t)
    without_traces(t)
    nothing(t)


def training(t):
    """The sums are those of the truth file."""
    truth = t.path("training.truth")
    env = {**t.gpu_environment(), "SIMGPU_TRUTH": truth}
    recording = t.record([t.cuda_program("training_step"), "30"], env=env)
    told = json.loads(findings(t, recording.directory, "--json").out)
    rows = [json.loads(line) for line in open(truth)]
    kernels, copied = Counter(), Counter()
    for row in rows:
        if row["op"] == "kernel":
            kernels[row["name"]] += 1
        elif row["op"] == "memcpy" and row["copy_kind"] != "HtoH":
            copied[row["copy_kind"]] += row["bytes"]
    t.equal(sum(row["count"] for row in told["kernels"]), sum(kernels.values()), "kernels")
    t.equal(len(told["kernels"]), len(kernels), f"names of kernels: {kernels}")
    by_kind = Counter()
    for row in told["copies"]:
        if row["name"].startswith("Memcpy "):
            by_kind[row["name"].split()[1]] += row["bytes"]
    t.equal(by_kind, copied, "copied bytes")
    true = Counter(row["class"] for row in rows if row["op"] == "wait")
    waits = Counter()
    for row in told["waits"]:
        waits[row["class"]] += row["count"]
    # A busy machine hides some (510, 515 hold single waits to the truth).
    for name in true:
        t.check(waits[name] <= true[name] + 2, f"waits: {waits}, truly {true}")
    [device] = told["ranks"]["rank-0"]["devices"]
    spans = sorted((row["start_ns"], row["end_ns"]) for row in rows if row["op"] in ("kernel", "memcpy", "memset") and "start_ns" in row)
    busy, until = 0, 0
    for begin, end in spans:
        busy += max(0, end - max(begin, until))
        until = max(until, end)
    t.check(abs(device["busy_ns"] - busy) <= 100 * len(spans) + busy // 1000, f"busy {device['busy_ns']} ns, truly {busy}")
    text = findings(t, recording.directory).out.decode()
    for word in ("\nWaits ", "Kernels", "Copies", "Devices", "1 rank on 1 host"):
        t.check(word in text, f"{word}: {text}")


def without_traces(t):
    directory = t.new_directory()
    mpirun = [t.need("mpirun.openmpi"), "--allow-run-as-root", "--oversubscribe", "-n", "4"]
    recording = t.record_command([*mpirun, *t.launch([t.victim("mpi_openmpi")], (), directory)], directory, timeout=100)
    t.equal(sum("wrote 4 traces" in line for line in recording.said), 1, f"{recording}")
    before = findings(t, directory, "--json")
    t.equal(before.status, 0, f"{before}")
    told = json.loads(before.out)
    t.equal(sorted(told["ranks"]), [f"rank-{rank}" for rank in range(4)])
    t.equal({row["name"]: row["count"] for row in told["ranges"]}["step"], 4 * 3)
    series = [series["name"] for rank in told["ranks"].values() for series in rank["steps"]]
    t.equal(series, 4 * ["step"], "steps")
    numbers = [step[0] for rank in told["ranks"].values() for series in rank["steps"] for step in series["steps"]]
    t.equal(numbers, 4 * [0, 1, 2], "numbers of steps")
    for rank in range(4):
        os.remove(os.path.join(directory, f"rank-{rank}.trace.json.gz"))
    t.equal(findings(t, directory, "--json").out, before.out, "without the traces")
    path = os.path.join(directory, "run", "rank-2.findings")
    for damage in (b"", b"\x1f\x8b", gzip.compress(b"{}"), gzip.compress(b'{"schema": "syncline.findings/9"}')):
        with open(path, "wb") as file:
            file.write(damage)
        told = findings(t, directory)
        t.equal(told.status, 125, f"{damage}: {told}")
        t.said(told, path)
        t.check(b"3 ranks on 1 host" in told.out, f"{told}")


def nothing(t):
    for directory, words in ((t.path("nowhere"), "there is no directory"), (t.new_directory(), "there are no findings")):
        if "no findings" in words:
            os.makedirs(os.path.join(directory, "run"))
        told = findings(t, directory)
        t.equal((told.status, told.out), (125, b""), f"{told}")
        t.said(told, words)
    shutil.rmtree(directory)
