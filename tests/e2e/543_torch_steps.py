# SPDX-License-Identifier: Apache-2.0
"""PyTorch's training loop with --steps 3:5: the two steps and all that was launched in them, on autograd's thread too, and nothing else;
a kernel of one step that still runs in the next makes no false gap, and HTA's analyses by step pass."""

import json
import os
import statistics

from gpu_truth import FIRST_CORRELATION, Comparison
from torch_judge import LAUNCHED, rows
from wait_pairs import WaitPairs

HARNESS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "harness")
LABELS = ("readers", "gpu", "torch")
TIMEOUT = 300
STEPS = ["--step-range", "step *"]
BY_STEP = ("load", "profiler_steps", "critical_path")


def recorded(t, options, durations):
    env = t.torch_environment({"SIMGPU_DURATIONS": durations})
    command = [*t.torch_program("training"), "8", "--item"]
    recording = t.past_exit_race(lambda: t.record(command, [*STEPS, *options], env), env)
    t.equal(recording.ending, "status 0", f"{recording}")
    with open(env["STAGES"]) as file:
        stages = {row["name"]: row for row in map(json.loads, file)}
    return recording, t.truth(recording.trace(), env), stages


def wanted(path, stages, first, end):
    """Correlations of what was launched from the begin of one step to that of another, on any thread."""
    begin, until = stages[f"step {first}"]["start_ns"], stages[f"step {end}"]["start_ns"]
    return sorted(row["correlation"] + FIRST_CORRELATION for row in rows(path) if row["op"] in LAUNCHED and begin <= row["queued_ns"] < until)


def test(t):
    for durations in ("*=400us", "*=20us"):
        recording, truth, stages = recorded(t, ["--steps", "3:5"], durations)
        trace = recording.trace()
        told = sorted(op.args["correlation"] for op in trace.device_ops())
        t.equal(told, wanted(truth, stages, 3, 5), f"{durations}: operations")
        t.check(len({call.tid for call in trace.calls() if call.args.get("correlation") in set(told)}) == 2, "autograd's thread launched nothing")
        shown = [s.name for s in trace.slices() if s.name.startswith("ProfilerStep#")]
        t.equal(shown, ["ProfilerStep#3", "ProfilerStep#4"], "steps")
        t.equal([r.name for r in trace.ranges() if r.name.startswith("step")], ["step 3", "step 4"], "their ranges")
        waits_and_gaps(t, trace, truth)
    for name in ("hta", "hta-old") if t.mode == "launcher" else ():
        checked = t.run([t.venv(name), os.path.join(HARNESS, "check_hta.py"), recording.directory, *BY_STEP], {"HTA_DISABLE_NS_ROUNDING": "1"}, timeout=100)
        t.equal(checked.status, 0, f"{name}: {checked}")
    scheduled, truth, stages = recorded(t, ["--schedule", "wait=1 warmup=1 active=2 repeat=1"], "*=50us")
    t.equal(sorted(op.args["correlation"] for op in scheduled.trace().device_ops()), wanted(truth, stages, 2, 4), "schedule")


def waits_and_gaps(t, trace, path):
    """No wait is told that was none, and nothing ran in a gap."""
    compared, truth = Comparison(trace.path, path), rows(path)
    pairs = WaitPairs(trace, truth, compared.offsets, compared.error_ns)
    t.equal(pairs.invented, [], "waits that are told and not true")
    t.check(pairs.right > 0, "no wait was told")
    offset, error = statistics.median(compared.offsets), 2 * compared.error_ns + 2
    ran = [(row["start_ns"] + offset, row["end_ns"] + offset) for row in truth if row["op"] in ("kernel", "memset")]
    for gap in trace.gaps():
        inside = [r for r in ran if r[0] + error < gap.end and gap.begin < r[1] - error]
        t.equal(inside, [], f"{gap}: something ran in it")
