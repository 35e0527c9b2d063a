# SPDX-License-Identifier: Apache-2.0
"""`syncline findings` tells what was found, of one rank and of several, with the traces and without them; what is damaged is named."""

import gzip
import json
import os
import shutil
from collections import Counter

from chrome_trace import DEVICE_CATS

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
    steps_are_shared(t, recording)
    text = findings(t, recording.directory).out.decode()
    for word in ("\nWaits ", "Kernels", "Copies", "Devices", "1 rank on 1 host"):
        t.check(word in text, f"{word}: {text}")


def covered(slices, begin, end):
    """How long at least one of them lasted between the two moments."""
    sum_ns, until = 0, begin
    for slice in sorted(slices, key=lambda slice: slice.begin):
        first, last = max(slice.begin, until), min(slice.end, end)
        sum_ns += max(0, last - first)
        until = max(until, last)
    return sum_ns


def steps_are_shared(t, recording):
    """What the GPU's time went by with in the steps is what the slices of the trace say."""
    told = json.loads(t.run([t.syncline, "report", recording.directory, "--format", "json"]).out)
    [whole] = [row for row in told["step_shares"] if row["is"] == "steps"]
    trace = recording.trace()
    steps = sorted((r for r in trace.ranges() if r.name.startswith("step ")), key=lambda r: r.begin)
    names = {row["number"] for row in told["step_shares"] if row["is"] == "step"}
    t.check(all(f"step {number}" in {r.name for r in steps} for number in names), f"steps {names}")
    ops = [s for s in trace.slices() if s.cat in DEVICE_CATS]
    copies = [s for s in ops if s.cat == "gpu_memcpy"]
    talks = [s for s in ops if "AllReduce" in s.name]
    computes = [s for s in ops if s not in copies and s not in talks]
    near = []
    for first in steps[:len(steps) // 2 + 1]:  # the first steady one is not told
        begin, end = first.begin, steps[-1].end
        parts = [covered(found, begin, end) for found in (computes, computes + talks, ops)]
        true = [parts[0], parts[1] - parts[0], parts[2] - parts[1]]
        near.append(max(abs(100 * ns / (end - begin) - whole[f"{kind}_percent"])
                        for ns, kind in zip(true, ("computing", "communicating", "copying"))))
    t.check(min(near) < 0.1, f"{whole}, off by {sorted(near)[:3]}")
    shares = sum(value for key, value in whole.items() if key.endswith("_percent"))
    t.check(abs(shares - 100) < 0.1, f"all together {shares} %: {whole}")


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
