# SPDX-License-Identifier: Apache-2.0
"""What torch.profiler writes of its own program agrees with the simulated GPUs' truth file, bare and under Syncline: each operation of
the recorded steps once, on its stream, with its duration. Syncline records the steps before and after, each operation once."""

import json

from gpu_truth import FIRST_CORRELATION

LABELS = ("gpu", "torch")
TIMEOUT = 240
STEPS = 8
CATEGORIES = {"kernel": "kernel", "gpu_memcpy": "memcpy", "gpu_memset": "memset"}
NEAR_NS = 100


CLOCK = "cuptiActivityRegisterTimestampCallback"


def true_operations(folder, first_step, last_step):
    """Of these steps and of what is between them."""
    with open(f"{folder}.stages") as file:
        steps = {stage["name"]: stage for stage in map(json.loads, file)}
    first, last = steps[f"step {first_step}"]["start_ns"], steps[f"step {last_step}"]["end_ns"]
    with open(f"{folder}.truth") as file:
        rows = [json.loads(line) for line in file]
    return {(row["op"], row["stream"], row["correlation"]): row for row in rows
            if row["op"] in CATEGORIES.values() and first <= row["queued_ns"] <= last}


def judge_profiler(t, name):
    """The profiler's schedule records from the third step on, but for the last two."""
    true = true_operations(t.path(name), 2, STEPS - 3)
    with open(t.path(f"{name}.json")) as file:
        events = [event for event in json.load(file)["traceEvents"] if event.get("cat") in CATEGORIES]
    told = {(CATEGORIES[e["cat"]], e["args"]["stream"], e["args"]["correlation"]): e for e in events}
    t.equal(len(told), len(events), f"{name}: operations that stand twice")
    t.check(len(true) > 50, f"{len(true)} operations in the recorded steps")
    t.equal(sorted(told), sorted(true), f"{name}: operations in torch.profiler's trace")
    starts = []
    for at, row in true.items():
        duration, true_duration = told[at]["dur"] * 1000, row["end_ns"] - row["start_ns"]
        t.check(abs(duration - true_duration) <= NEAR_NS, f"{told[at]['name']} took {duration} ns, not {true_duration}")
        starts.append(told[at]["ts"] * 1000 - row["start_ns"])
    print(f"{name}: {len(true)} operations; starts off by up to {max(starts) - min(starts):.0f} ns")


def judge_ours(t, recording):
    """It warms up in the second step: ours are the first one and the last two."""
    events = [e for e in recording.trace().events if e.get("cat") in CATEGORIES]
    told = [(CATEGORIES[e["cat"]], e["args"]["stream"], e["args"]["correlation"] - FIRST_CORRELATION) for e in events]
    t.equal(len(set(told)), len(told), "operations that stand twice")
    ours = [at for first, last in ((0, 0), (STEPS - 2, STEPS - 1)) for at in true_operations(t.path("recorded"), first, last)]
    t.equal(sorted(set(ours) - set(told)), [], "operations outside of the profiler's time that are missing")
    theirs = true_operations(t.path("recorded"), 1, STEPS - 3)
    t.equal(sorted(set(theirs) & set(told)), [], "operations of the profiler's time")
    (gpu,) = [process["gpu"] for process in recording.manifest()["processes"] if process["gpu"]]
    t.equal([(p["recorded"], p["why"]) for p in gpu], [("cupti", ""), ("left to another client", CLOCK), ("cupti", "")], "periods")


def test(t):
    t.simulated_only()
    for name in ("bare", "recorded"):
        env = {**t.gpu_environment(), "SIMGPU_TRUTH": t.path(f"{name}.truth"), "STAGES": t.path(f"{name}.stages")}
        command = [*t.torch_program("profiled"), t.path(f"{name}.json"), str(STEPS)]
        run = t.run if name == "bare" else t.record
        done = t.past_exit_race(lambda: run(command, env=env), env)
        t.equal(done.ending, "status 0", f"{done}")
        judge_profiler(t, name)
    judge_ours(t, done)
    t.equal(done.losses(), {}, "recorded")
