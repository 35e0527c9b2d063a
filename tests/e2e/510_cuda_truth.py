# SPDX-License-Identifier: Apache-2.0
"""Each kernel, copy and memset of the simulated GPUs' truth file is in the trace once, with its stream, bytes and times."""


from gpu_truth import Comparison

LABELS = ("gpu",)
TIMEOUT = 300
PROGRAMS = ("vector_add", "streams", "copies", "event_timing", "graphs", "multi_device", "peer_copies", "default_stream",
            "allocations", "query_spin", "training_step 3", "driver_api", "per_thread", "graph_memory", "launch_rate 20")


def test(t):
    t.simulated_only("a real GPU writes no truth file")
    for runtime in ("shared", "static"):
        for program in PROGRAMS:
            name, *arguments = program.split()
            truth = t.path(f"{runtime}-{name}.truth")
            env = {**t.gpu_environment(), "SIMGPU_TRUTH": truth}
            recording = t.record([t.cuda_program(name, runtime), *arguments], env=env)
            t.equal(recording.status, 0, f"{runtime} {program}: {recording}")
            compared = Comparison(recording.trace().path, truth)
            t.equal(compared.faults, [], f"{runtime} {program}")
            t.check(compared.matched > 0, f"{program}: nothing was compared")
            t.equal(recording.losses(), {}, program)
    nodes(t)


def nodes(t):
    for program in ("graphs", "graph_memory"):
        truth = t.path(f"{program}.nodes.truth")
        env = {**t.gpu_environment(), "SIMGPU_TRUTH": truth}
        recording = t.record([t.cuda_program(program)], options=["--cuda-graphs", "node"], env=env)
        compared = Comparison(recording.trace().path, truth, nodes=True)
        t.equal(compared.faults, [], f"the nodes of {program}")
        in_graphs = [op for op in recording.trace().device_ops() if "graph id" in op.args]
        t.check(in_graphs and all("graph node id" in op.args for op in in_graphs if op.cat == "kernel"), f"{program}: {in_graphs[:3]}")
