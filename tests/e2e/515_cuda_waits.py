# SPDX-License-Identifier: Apache-2.0
"""Every wait of the host for a device is in the trace with the class of docs/waits.md, what was waited for and its length, and no other;
the truth file of the simulated GPUs is the judge. Gaps have causes."""

import json

from gpu_truth import Comparison
from wait_costs import WaitCosts
from wait_pairs import WaitPairs

LABELS = ("gpu",)
TIMEOUT = 300
# Not peer_copies and graph_memory: CUPTI's records do not tell the last release of a primary context (E8) from one that leaves it,
# and have nothing of a graph launch without operations.
PROGRAMS = ("allocations", "copies", "default_stream", "driver_api", "event_timing", "graphs", "launch_rate 2", "multi_device", "per_thread",
            "query_spin", "streams", "training_step 3", "vector_add", "virtual_memory")
# Kernels that outlast the host's own microseconds; then a queue that fills; launches that wait for their kernels; a CUPTI without records
# of overhead. Not kernels of a few microseconds: one of them ends in each call whose thread lost its processor, which looks like a wait.
SITUATIONS = ({"SIMGPU_DURATIONS": "*=300us"}, {"SIMGPU_DURATIONS": "*=50us", "SIMGPU_QUEUE": "8"},
              {"SIMGPU_DURATIONS": "*=100us", "CUDA_LAUNCH_BLOCKING": "1"}, {"SIMGPU_DURATIONS": "*=200us", "SIMGPU_CUPTI_VERSION": "12.0"})
CAUSES = {"host function", "host waited", "host busy", "launch latency", "copy", "nothing left", "first use", "another GPU"}


def test(t):
    t.simulated_only("a real GPU writes no truth file")
    right, hidden = 0, []
    for number, situation in enumerate(SITUATIONS):
        for program in PROGRAMS:
            name, *arguments = program.split()
            truth = t.path(f"{name}-{number}.truth")
            env = {**t.gpu_environment(), **situation, "SIMGPU_TRUTH": truth}
            trace = t.record([t.cuda_program(name), *arguments], env=env).trace()
            rows = [json.loads(line) for line in open(truth)]
            arrows(t, trace, program)
            clocks = Comparison(trace.path, truth)
            pairs = WaitPairs(trace, rows, clocks.offsets, clocks.error_ns)
            t.equal(pairs.invented, [], f"{program}, {situation}: waits that are told and not true")
            t.equal(pairs.missed, [], f"{program}, {situation}: waits that could be seen and are not told")
            right += pairs.right
            hidden += pairs.hidden
            t.equal(WaitCosts(trace, rows, clocks.offsets, clocks.error_ns).faults, [], f"{program}: lengths of waits")
            causes = {gap.args["cause"] for gap in trace.gaps()}
            t.check(causes <= CAUSES, f"{program}: gaps because of {causes}")
    print(f"{right} waits right, hidden {hidden}")
    step(t)
    spin(t)


def arrows(t, trace, program):
    """From the end of what was waited for to the end of each wait that found it pending; a full queue waits for a begin."""
    ends = {to: start for start, to in trace.arrows_to_waits()}
    for wait in trace.waits():
        if wait.args["waited_for"] is None or wait.args["already_done"] or wait.args["class"] in ("queue_full", "graph"):
            continue
        start = ends.pop((wait.pid, wait.tid, max(wait.begin, wait.end - 3)), None)
        ops = [op for op in trace.device_ops() if op.args["correlation"] == wait.args["waited_for"]]
        last = [op for op in ops if start == (op.pid, op.tid, min(max(op.begin, op.end - 3), max(wait.begin, wait.end - 3) - 3))]
        t.check(last, f"{program}: {wait} has no arrow from {ops}: {start}")
    t.equal(ends, {}, f"{program}: arrows to nothing")


def step(t):
    """The facts of a wait stand in the call's own slice too, and name the ranges around it."""
    env = {**t.gpu_environment(), "SIMGPU_DURATIONS": "*=300us"}
    trace = t.record([t.cuda_program("training_step"), "2"], env=env).trace()
    [wait] = [w for w in trace.waits() if w.args.get("ranges", "").startswith("step 1 > optimizer") and not w.args["already_done"]][:1]
    [call] = [c for c in trace.calls(name=wait.args["call"]) if c.args.get("waited_for") == wait.args["waited_for"]][:1]
    for key in ("class", "blocked_us", "waited_for", "waited_for_name", "already_done"):
        t.equal(call.args[key], wait.args[key], key)
    t.check(trace.gaps(), "no gap at all")
    for option in ("--gpu-gap", "--cuda-gap"):  # its name before
        longer = t.record([t.cuda_program("training_step"), "2"], options=[option, "1m"], env=env).trace()
        t.equal(longer.gaps(), [], "gaps of a minute")


def spin(t):
    """One record stands for a row of queries: each is in one of them, however the process ends, and there are few. No slice of theirs
    crosses a range: whoever reads the trace looks for that."""
    for what, ending in (("", "status 0"), ("ranges", "status 0"), ("threads", "status 0"), ("killed", "signal 9")):
        recording = t.record([t.cuda_program("query_spin"), *what.split()], env={**t.gpu_environment(), "SIMGPU_DURATIONS": "*=20ms"})
        t.equal(recording.ending, ending, what)
        t.check(set(recording.losses()) <= {"gpu_undelivered"}, f"{what}: {recording.losses()}")  # of the kernel
        trace = recording.trace()
        queries = [call for name in ("cudaEventQuery", "cudaStreamQuery") for call in trace.calls(name=name)]
        asked = sum(call.args.get("queries", 1) for call in queries)
        t.equal(asked, int(recording.out), what)
        if what != "ranges":
            t.check(1000 < asked and len(queries) < asked / 50, f"{what}: {len(queries)} records of {asked} queries")
        if what == "":
            spins = [wait.args["count"] for wait in trace.waits() if wait.args["class"] == "query_spin"]
            t.check(len(spins) == 2 and sum(spins) == asked - 1, f"{spins} of {asked}")
