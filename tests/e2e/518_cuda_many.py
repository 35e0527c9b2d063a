# SPDX-License-Identifier: Apache-2.0
"""Every CUPTI from 12.0 on, eight devices, threads that launch at once, ranks under mpirun: each operation once, each call on the
thread that made it."""

import glob
import json
import os

from gpu_truth import FIRST_CORRELATION, Comparison

LABELS = ("gpu",)
TIMEOUT = 300
CUPTIS = ("12.0", "12.3", "12.4", "12.6", "12.8", "12.9", "13.0", "13.1", "13.2", "13.4")


def test(t):
    t.simulated_only("a real GPU writes no truth file")
    for version in CUPTIS:
        for program in ("graphs", "copies", "allocations"):
            same_as_the_truth(t, [t.cuda_program(program)], f"{program} with CUPTI {version}", SIMGPU_CUPTI_VERSION=version)
    for runtime in ("shared", "static"):
        compared = same_as_the_truth(t, [t.cuda_program("multi_device", runtime)], "eight devices", SIMGPU_DEVICES="8")
        devices = {op.args["device"] for op in compared.trace.device_ops()}
        t.equal(devices, set(range(8)), "devices that worked")
        compared = same_as_the_truth(t, [t.cuda_program("many_threads", runtime), "16", "40"], "sixteen threads")
        threads(t, compared.trace, t.path("sixteen threads.truth"))
    ranks(t)


def same_as_the_truth(t, program, what, **env):
    truth = t.path(f"{what}.truth")
    if os.path.exists(truth):
        os.remove(truth)
    recording = t.record(program, env={**t.gpu_environment(), "SIMGPU_TRUTH": truth, **env})
    t.equal(recording.status, 0, f"{what}: {recording}")
    compared = Comparison(recording.trace().path, truth)
    t.equal(compared.faults, [], what)
    t.check(compared.matched > 0, f"{what}: nothing was compared")
    t.equal(recording.losses(), {}, what)
    return compared


def threads(t, trace, truth):
    """The call that launched an operation stands on the row of the thread that the truth file names."""
    rows = (json.loads(line) for line in open(truth))
    true = {row["correlation"] + FIRST_CORRELATION: row["thread"] for row in rows if row["op"] == "kernel"}
    told = {call.args["correlation"]: call.tid for call in trace.calls() if call.args.get("correlation") in true}
    t.equal(told, true, "threads of launches")
    t.equal(len(set(told.values())), 16, "launching threads")


def ranks(t):
    """Four ranks with a device each."""
    program = ["sh", "-c", 'CUDA_VISIBLE_DEVICES=$OMPI_COMM_WORLD_LOCAL_RANK exec "$0" 8', t.cuda_program("training_step")]
    directory = t.new_directory()
    mpirun = [t.need("mpirun.openmpi"), "--allow-run-as-root", "--oversubscribe", "-n", "4"]
    env = {**t.gpu_environment(), "SIMGPU_DEVICES": "4", "SIMGPU_TRUTH": t.path("rank-%p.truth")}
    recording = t.record_command([*mpirun, *t.launch(program, (), directory)], directory, env=env, timeout=100)
    t.equal(recording.ranks(), [0, 1, 2, 3], "traces")
    truths = {json.loads(open(path).readline())["pid"]: path for path in glob.glob(t.path("rank-*.truth"))}
    for rank in range(4):
        trace = recording.trace(rank)
        [pid] = {p["pid"] for p in trace.document["metadata"]["processes"]} & set(truths)
        compared = Comparison(trace.path, truths[pid])
        t.equal(compared.faults, [], f"rank {rank}")
        t.check(compared.matched > 0, f"rank {rank}: nothing was compared")
