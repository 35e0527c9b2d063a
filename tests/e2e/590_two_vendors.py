# SPDX-License-Identifier: Apache-2.0
"""Two vendors' devices in one process, with the same numbers of devices, queues and correlations: both are on the timeline, each
wait has its own cause, and nothing is mixed."""

import os

import extra_collectors
from chrome_trace import DEVICE_CATS

LABELS = ("gpu",)
TIMEOUT = 900
TURNS = 12


def test(t):
    t.simulated_only("the durations are those of the simulation")
    t.syncline = extra_collectors.build(t)
    recording = t.record([build_program(t)], env=t.gpu_environment())
    t.equal((recording.status, recording.out), (0, b"%d\n" % TURNS), f"{recording}")
    t.equal(recording.losses(), {}, "losses")
    trace = recording.trace()
    devices = rows(trace)
    t.equal(set(devices), {"mu GPU 0 (Made-up device)", devices_of_cuda(devices)}, "rows of devices")
    sets, tasks = work_on(trace, devices, devices_of_cuda(devices)), work_on(trace, devices, "mu GPU 0 (Made-up device)")
    t.equal(({slice.name for slice in sets}, len(sets)), ({"Memset (Device)"}, TURNS))
    t.equal(({slice.name for slice in tasks}, len(tasks)), ({"task"}, TURNS))
    own = {"cuda": correlations(sets), "mu": correlations(tasks)}
    t.check(not own["cuda"] & own["mu"], f"correlations of both: {own}")
    for source, call, what in (("cuda", "cudaStreamSynchronize", "Memset (Device)"), ("mu", "mu_wait", "task")):
        found = [slice for slice in trace.slices(cat="sync_wait") if slice.args["call"] == call]
        t.equal([slice.name for slice in found], [f"{call}: {what}"] * TURNS, f"waits for {source}")
        t.check({slice.args["waited_for"] for slice in found} <= own[source], f"{source} waited for {found}")
        t.check({slice.args["class"] for slice in found} == {"stream"}, f"{found[0]}")
    for task in tasks:
        t.check(1_990_000 <= task.end - task.begin <= 2_010_000, f"2 ms by its own clock: {task}")
    submitted = [call for call in trace.calls() if call.name == "mu_submit"]
    t.equal([call.args["arguments"] for call in submitted], [{"queue": 7, "us": 2000}] * TURNS)
    t.check(all(call.begin <= task.begin for call, task in zip(submitted, tasks)), "a task began before its call")


def build_program(t):
    gcc = t.need("gcc")
    vendor, folder = extra_collectors.VENDOR, os.path.dirname(t.path("libmu.so"))
    library, program = t.path("libmu.so"), t.path("two_vendors")
    extra_collectors.succeed(t, [gcc, "-shared", "-fPIC", "-Wl,-soname,libmu.so", "-o", library, f"{vendor}/mu.c"])
    link = ["-L" + folder, "-lmu", "-ldl", "-Wl,-rpath," + folder]
    extra_collectors.succeed(t, [gcc, "-o", program, f"{vendor}/two_vendors.c", *link])
    return program


def rows(trace):
    """The pids of devices with work, by the names of their rows."""
    pids = {slice.pid for slice in trace.slices() if slice.cat in DEVICE_CATS}
    names = {e["pid"]: e["args"]["name"] for e in trace.events if e["ph"] == "M" and e["name"] == "process_name"}
    return {names[pid].removeprefix("rank 0: "): pid for pid in pids}


def devices_of_cuda(devices):
    [name] = [name for name in devices if name.startswith("GPU 0 ")]
    return name


def work_on(trace, devices, name):
    return sorted((s for s in trace.slices() if s.cat in DEVICE_CATS and s.pid == devices[name]), key=lambda s: s.begin)


def correlations(slices):
    return {slice.args["correlation"] for slice in slices}
