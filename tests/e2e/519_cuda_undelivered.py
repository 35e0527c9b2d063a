# SPDX-License-Identifier: Apache-2.0
"""What CUPTI still held when a process was gone is counted, each operation and nothing else: captured calls, copies of no bytes and
calls that failed owe no record. The report then gives no shares of the GPU. The suite runs this also with a library without exit hooks, where every
process ends so."""

import json

from gpu_truth import counted

LABELS = ("gpu", "endings")
TIMEOUT = 300
PROGRAMS = ("copies", "peer_copies", "default_stream", "allocations", "graphs", "graph_memory", "driver_api", "per_thread", "multi_device",
            "virtual_memory", "faults", "many_threads", "launch_rate 20", "training_step 3", "endings owing")


def test(t):
    t.simulated_only("a real GPU writes no truth file")
    for runtime in ("shared", "static"):
        for program in PROGRAMS:
            recording = judge(t, program, runtime)
            if program.startswith("launch_rate") and recording.losses():
                shares(t, recording)
    judge(t, "graphs", "shared", "--cuda-graphs", "node")
    for program in ("graphs", "training_step 3", "endings owing"):
        judge(t, program, "shared", "--cuda-api", "full")


def shares(t, recording):
    """Where a hundredth of the records is lost the report gives no shares of the device; fewer make no difference."""
    told = json.loads(t.run([t.syncline, "report", recording.directory, "--format", "json"]).out)
    [device] = told["devices"]
    matters = device["records_lost"] >= (device["operations"] + device["records_lost"]) // 100
    t.equal(device["busy_ms"] is None, matters, f"{device}")
    said = any(line.startswith("rank-0: ") and " GPU records are lost" in line for line in told["health"])
    t.equal(said, matters, f"{told['health']}")


def judge(t, program, runtime, *options):
    what = " ".join([program, runtime, *options])
    truth = t.path(f"{what}.truth".replace(" ", "-"))
    name, *arguments = program.split()
    env = {**t.gpu_environment(), "SIMGPU_TRUTH": truth}
    recording = t.record([t.cuda_program(name, runtime), *arguments], options=options, env=env, killed=True)
    lost = counted(t, recording, truth, what, nodes="node" in options)
    t.check(lost or recording.trace().device_ops(), f"{what}: nothing was compared")
    return recording
