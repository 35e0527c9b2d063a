# SPDX-License-Identifier: Apache-2.0
"""Kept spools of version 1 give the trace that they gave, once converted; as they are they are refused."""

import collections
import glob
import json
import os
import shutil

import chrome_trace
import trace_check
from syncline_test import ROOT

MODES = ("launcher",)
KEPT = os.path.join(ROOT, "tests", "spool_v1")
STEP = ("load", "forward", "backward", "all-reduce", "optimizer")
WORK = "registered step > user_work"


def recover(t, spool):
    """What `syncline recover` says of a run of which only this spool is left, and its directory."""
    directory = t.new_directory()
    folder = os.path.join(directory, "run", "spool", os.uname().nodename)
    os.makedirs(folder)
    shutil.copy(spool, folder)
    return t.run([t.syncline, "recover", directory]), directory


def refused(t, spool):
    result, _ = recover(t, spool)
    t.equal(result.status, 125, f"{result}")
    lines = [line for line in result.err.splitlines() if b"version 1" in line]
    t.check(len(lines) == 1 and b"version 2" in lines[0], f"{result}")


def converted(t, spool):
    """The trace of a spool of version 1, and its losses."""
    refused(t, spool)
    now = t.path(os.path.basename(spool))
    result = t.run([os.path.join(t.build, "tests", "convert_spool"), spool, now])
    t.equal(result.ending, "status 0", f"{result}")
    t.equal(os.path.getsize(now), os.path.getsize(spool), "bytes")
    result, directory = recover(t, now)
    t.equal(result.status, 0, f"{result}")
    t.equal(trace_check.check_directory(directory), [], f"{result}")
    [trace] = glob.glob(os.path.join(directory, "rank-0.trace.json*"))
    with open(os.path.join(directory, "run", "rank-0.json")) as file:
        losses = json.load(file)["losses"]
    return chrome_trace.load(trace), {kind: loss["count"] for kind, loss in losses.items() if loss["count"]}


def numbers(trace):
    return {(call.name, call.args["cbid"]) for call in trace.calls()}


def ranges(t, trace, losses):
    """Of NVTX: domains, categories, attributes, a start/end range, marks, two threads."""
    step = ["Step", "Step > registered step", f"Step > {WORK}"]
    first = ["library static initialiser", "program static initialiser", "whole program"]
    t.equal(trace.paths(), [*first, *step * 3, "in a thread"])
    registered = {"domain": "solver", "category": "io", "color": "#FF0080FF"}
    t.equal([r.args for r in trace.ranges(name="registered step")], [{**registered, "payload": i} for i in range(3)])
    t.equal([mark.args for mark in trace.marks()], [{"domain": "library"}] * 3 + [{}])
    [lane] = {r.tid for r in trace.ranges(name="whole program")}
    t.check(lane > chrome_trace.PROCESS_ROW, f"row {lane} of a start/end range")
    t.equal(losses, {}, "losses")


def kernel(t, trace, losses):
    """Calls of both of CUDA's APIs, a kernel and the device it was on."""
    called = {("cudaMalloc", 20), ("cuLibraryLoadData", 678), ("cudaLaunchKernel", 505), ("cudaLaunchHostFunc", 284)}
    t.equal(numbers(trace), called)
    [busy] = trace.device_ops()
    t.equal((busy.name, busy.cat, busy.pid), ("Busy(float*)", "kernel", 0))
    [launch] = [call for call in trace.calls() if call.args["correlation"] == busy.args["correlation"]]
    t.equal(launch.name, "cudaLaunchKernel")
    t.check("Simulated H100-like GPU" in trace.process_names()[0], f"{trace.process_names()}")
    t.equal(losses, {"gpu_unfinished": 1}, "losses")


def open_call(t, trace, losses):
    """Of a program that was killed: ranges and a call that were open, no work of the GPU."""
    names = collections.Counter({f"step {i}": 1 for i in range(3)})
    t.equal(collections.Counter(trace.names()), names + collections.Counter(STEP * 3))
    t.counted(
        [call.name for call in trace.calls()],
        {"cudaLaunchKernel": 42, "cudaMemcpyAsync": 6, "cudaEventRecord": 6, "cudaStreamWaitEvent": 6, "cudaMalloc": 3},
    )
    t.check({("cudaMemcpyAsync", 41), ("cudaStreamSynchronize", 131)} <= numbers(trace), f"{numbers(trace)}")
    t.equal([wait.args["class"] for wait in trace.waits()], ["stream", "stream", "pageable_copy"])
    t.equal(trace.waits()[-1].name, "cudaMemcpyAsync: did not return")
    t.equal(losses, {"gpu_undelivered": 47}, "losses")


def test(t):
    if not os.path.exists(os.path.join(t.build, "tests", "convert_spool")):
        t.skip("convert_spool was not built: configure with BUILD_TESTING")
    for check in (ranges, kernel, open_call):
        check(t, *converted(t, os.path.join(KEPT, f"{check.__name__}.spool")))
