# SPDX-License-Identifier: Apache-2.0
"""What torch.profiler writes of its own program agrees with the simulated GPUs' truth file: each operation of the recorded steps once,
on its stream, with its duration."""

import json

LABELS = ("gpu", "torch")
TIMEOUT = 240
MODES = ("launcher",)  # Syncline takes no part
STEPS = 8
CATEGORIES = {"kernel": "kernel", "gpu_memcpy": "memcpy", "gpu_memset": "memset"}
NEAR_NS = 100


def true_operations(t):
    """Those of the steps that the program's schedule records."""
    with open(t.path("stages")) as file:
        stages = [json.loads(line) for line in file]
    steps = {stage["name"]: stage for stage in stages}
    first, last = steps["step 2"]["start_ns"], steps[f"step {STEPS - 3}"]["end_ns"]
    with open(t.path("truth")) as file:
        rows = [json.loads(line) for line in file]
    return {(row["op"], row["stream"], row["correlation"]): row for row in rows
            if row["op"] in CATEGORIES.values() and first <= row["queued_ns"] <= last}


def test(t):
    env = {**t.gpu_environment(), "SIMGPU_TRUTH": t.path("truth"), "STAGES": t.path("stages")}
    done = t.run([*t.torch_program("profiled"), t.path("trace.json"), str(STEPS)], env)
    t.equal(done.ending, "status 0", f"{done}")
    true = true_operations(t)
    with open(t.path("trace.json")) as file:
        events = [event for event in json.load(file)["traceEvents"] if event.get("cat") in CATEGORIES]
    told = {(CATEGORIES[e["cat"]], e["args"]["stream"], e["args"]["correlation"]): e for e in events}
    t.equal(len(told), len(events), "operations that stand twice")
    t.check(len(true) > 50, f"{len(true)} operations in the recorded steps")
    t.equal(sorted(told), sorted(true), "operations in torch.profiler's trace")
    starts = []
    for at, row in true.items():
        duration, true_duration = told[at]["dur"] * 1000, row["end_ns"] - row["start_ns"]
        t.check(abs(duration - true_duration) <= NEAR_NS, f"{told[at]['name']} took {duration} ns, not {true_duration}")
        starts.append(told[at]["ts"] * 1000 - row["start_ns"])
    print(f"{len(true)} operations; starts off by up to {max(starts) - min(starts):.0f} ns")
