# SPDX-License-Identifier: Apache-2.0
"""`syncline ncu --stage` has what backward's threads launch, with the shares of the report; the command for such a launch selects it among all
of the process, as the simulated GPU has them, and starts the program with the arguments that it had."""

import json
import os
import re
import shlex
import statistics

from gpu_truth import demangled, rows_of

LABELS = ("torch", "gpu")
TIMEOUT = 300
MODES = ("launcher",)
BACKWARD = ["simulated_gemm_f32_nn", "simulated_gemm_f32_nt"]
ARGUMENTS = ["a b", "", "'quo\"ted'", "$HOME\\", "two\nlines", os.fsdecode(b"\xff\xfe"), "\u00e9", ""]


def test(t):
    t.simulated_only()
    env = t.torch_environment({"SIMGPU_DURATIONS": "*gemm*=200us,*=10us", "SIMGPU_JITTER": "0.4", "SIMGPU_DEVICES": "1"})
    recording = t.record([*t.torch_program("stepped"), *ARGUMENTS], ["--python-ranges", "__main__.ask"], env, timeout=120)
    true = launches(t.truth(recording.trace(), env))
    report = json.loads(t.run([t.syncline, "report", recording.directory, "--format", "json"]).out)
    for stage, has_backward in (("step", True), ("training", True), ("autograd.backward", True), ("forward", False)):
        told = t.run([t.syncline, "ncu", recording.directory, "--stage", stage, "--top", "99"]).out.decode(errors="surrogateescape")
        [row] = [row for row in report["stages"] if row["name"] == stage]
        found = re.findall(r"^# (.*): ([\d.]+) %, .* in (\d+) launch(?:es)?$", told, re.M)
        t.equal(sum(int(count) for _, _, count in found), row["launched"], f"{stage}: {told}")
        t.check(abs(sum(float(share) for _, share, _ in found) - 100) < 0.5, f"{stage}: {told}")
        backward = [kernel for kernel, _, _ in found if kernel in BACKWARD]
        t.equal(sorted(backward), sorted(BACKWARD) if has_backward else [], f"{stage}: {told}")
        if has_backward:
            shares(t, row, found, true)
        if has_backward and stage != "training":  # a start/end range is of all threads to Nsight Compute, too
            selected(t, told, true)
    calls(t, recording, report)
    arguments(t, recording)


def launches(truth):
    """(function, nanoseconds) of each launch, in the order of the calls."""
    rows = sorted((row for row in rows_of(truth) if row["op"] == "kernel"), key=lambda row: row["correlation"])
    names = demangled(row["name"] for row in rows)
    return [(names[row["name"]].split("<")[0].split("(")[0].split("::")[-1].split(" ")[-1], row["end_ns"] - row["start_ns"]) for row in rows]


def shares(t, row, found, true):
    """All launches of these kernels are backward's."""
    for kernel, share, count in found:
        lengths = [ns for function, ns in true if function == kernel]
        if kernel in BACKWARD:
            t.equal(int(count), len(lengths), kernel)
            t.check(abs(float(share) - 100 * sum(lengths) / 1e6 / row["device_ms"]) < 0.1, f"{kernel} {share}: {row}")


def selected(t, told, true):
    """Without a filter, the one of median length."""
    for kernel in BACKWARD:
        [(remarks, command)] = re.findall(rf"^# {kernel}: .*\n((?:#   .*\n)+)(ncu .*(?:\n[^#n].*)*)$", told, re.M)
        words = shlex.split(command)
        t.check("--nvtx" not in words and "all launches of the process count" in remarks, f"{kernel}: {told}")
        lengths = [ns for function, ns in true if function == words[words.index("--kernel-name") + 1]]
        t.equal(lengths[int(words[words.index("--launch-skip") + 1])], statistics.median_low(lengths), f"{kernel}: {command}")
        t.equal(words[-len(ARGUMENTS):], ARGUMENTS, f"{kernel}: {command}")


def calls(t, recording, report):
    """Of a coroutine only what its stretches launched."""
    told = t.run([t.syncline, "ncu", recording.directory, "--stage", "__main__.ask", "--top", "99"]).out.decode(errors="surrogateescape")
    [row] = [row for row in report["stages"] if row["name"] == "__main__.ask" and row["domain"] == "py.call"]
    t.equal(sum(int(count) for count in re.findall(r"^# .* in (\d+) launch(?:es)?$", told, re.M)), row["launched"], told)
    t.check("--nvtx" not in told and "is no NVTX range" in told, told)


def arguments(t, recording):
    """As a stand-in for Nsight Compute gets them from a shell."""
    folder = t.path("bin")
    os.makedirs(folder)
    with open(os.path.join(folder, "ncu"), "w") as file:
        file.write("#!/usr/bin/env python3\nimport sys\nprint('GOT', ascii(sys.argv))\n")
    os.chmod(os.path.join(folder, "ncu"), 0o755)
    done = t.run([t.syncline, "ncu", recording.directory, "--top", "1", "--run"], env={"PATH": f"{folder}:/usr/bin:/bin"})
    [got] = [line[4:] for line in done.out.decode(errors="surrogateescape").splitlines() if line.startswith("GOT ")]
    t.check(got.endswith(ascii(ARGUMENTS)[1:]), f"{got}")
