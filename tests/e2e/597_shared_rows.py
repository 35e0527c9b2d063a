# SPDX-License-Identifier: Apache-2.0
"""A device is its UUID: rows of the trace, busy and idle times are those of a physical GPU, whichever numbers its processes give it and however many they are."""

import json

LABELS = ("gpu", "mpi")
MODES = ("launcher",)
MEET = 'exec "$0" hostbound "$1.$OMPI_COMM_WORLD_RANK" "$1.$((1 - OMPI_COMM_WORLD_RANK))"'
TWO = {"SIMGPU_DEVICES": "2", "SIMGPU_DURATIONS": "*=4ms"}


def test(t):
    t.simulated_only("it needs two GPUs")
    own_devices(t, "0", "1")
    own_devices(t, "1,0", "0")
    ranks_with_own_devices(t)
    one_device(t)
    ranks_on_one_device(t)


def own_devices(t, first, second):
    """Each process computes on its device 0."""
    program = t.cuda_program("streams")
    recording = t.record(["sh", "-c", f"CUDA_VISIBLE_DEVICES={first} {program} & CUDA_VISIBLE_DEVICES={second} {program}; wait"], env={**t.gpu_environment(), **TWO})
    document = recording.trace().document
    kernels = [event for event in document["traceEvents"] if event.get("cat") == "kernel"]
    t.equal(sorted({event["pid"] for event in kernels}), [0, 1], "each GPU has its row")
    t.check(all(event["args"]["device"] == event["pid"] for event in kernels), "the device in the trace's numbers")
    t.equal([device["id"] for device in document["deviceProperties"]], [0, 1])
    names = {event["pid"]: event["args"]["name"] for event in document["traceEvents"] if event["name"] == "process_name"}
    t.check(names[0] != names[1], f"the row says which GPU: {names}")
    rows = {(event["args"]["correlation"] >> 32, event["pid"]) for event in kernels}
    t.equal(len(rows), 2, "each process has one")
    report = report_of(t, recording.directory)
    t.equal([(device["device"], device["processes"]) for device in report["devices"]], [(0, 1)] * 2)
    t.equal(len({device["uuid"] for device in report["devices"]}), 2)
    table = t.run([t.syncline, "report", "--no-files", recording.directory]).out.decode()
    lines = [line.split(":")[0] for line in table.splitlines() if line.startswith("rank-0, cuda 0")]
    t.equal(len(set(lines)), 2, table)


def ranks_with_own_devices(t):
    """Each rank computes on its device 0."""
    mpirun = [t.need("mpirun.openmpi"), "--allow-run-as-root", "--oversubscribe", "-n", "2"]
    directory = t.new_directory()
    program = ["sh", "-c", 'CUDA_VISIBLE_DEVICES=$OMPI_COMM_WORLD_RANK exec "$0"', t.cuda_program("streams")]
    t.record_command(t.launch([*mpirun, *program], (), directory), directory, env={**t.gpu_environment(), **TWO})
    table = t.run([t.syncline, "report", "--no-files", directory]).out.decode()
    names = [line.split(":")[0].split(", ")[1] for line in table.splitlines() if line.startswith(("rank-0, cuda 0 (", "rank-1, cuda 0 ("))]
    t.equal(len(set(names)), 2, table)


def one_device(t):
    program = t.cuda_program("idle")  # both are busy for less than half of the time
    recording = t.record(["sh", "-c", f"{program} hostbound $0.a $0.b & {program} hostbound $0.b $0.a; wait", t.path("one")], env={**t.gpu_environment(), **TWO})
    work, gaps = device_rows(recording.trace().document)
    t.check(len(gaps) > 0, "somebody was idle")
    check_apart(t, work, gaps)
    devices = report_of(t, recording.directory)["devices"]
    t.equal([device["processes"] for device in devices], [2])
    busy = sum(end - begin for begin, end in joined(work))
    whole = max(end for _, end in work) - min(begin for begin, _ in work)
    t.equal(ns(devices[0]["busy_ms"]), busy, "busy is when any process works")
    t.equal(ns(devices[0]["idle_ms"]), whole - busy)
    t.equal(ns(devices[0]["seen_ms"]), whole)
    by_cause = sum(ns(length) for cause, length in devices[0]["gaps_ms"].items() if cause != "nothing left")
    t.equal(by_cause, sum(end - begin for begin, end in gaps), "the table and the slices")


def ranks_on_one_device(t):
    mpirun = [t.need("mpirun.openmpi"), "--allow-run-as-root", "--oversubscribe", "-n", "2"]
    for together in (True, False):
        directory = t.new_directory()
        program = ["sh", "-c", MEET, t.cuda_program("idle"), t.path(f"meet-{together}")]
        command = t.launch([*mpirun, *program], (), directory) if together else [*mpirun, *t.launch(program, (), directory)]
        recording = t.record_command(command, directory, env={**t.gpu_environment(), **TWO})
        t.equal(recording.ranks(), [0, 1])
        rows = [device_rows(recording.trace(rank).document) for rank in (0, 1)]
        report = report_of(t, directory)
        devices = report["devices"]
        told = [text for text in report["health"] if "launchers that do not know" in text]
        if not together:
            t.equal([(device["idle_ms"], len(told)) for device in devices], [(None, 1)] * 2, "neither launcher knows when the GPU was idle")
            continue
        t.equal(told, [])
        check_apart(t, rows[0][0] + rows[1][0], rows[0][1] + rows[1][1])
        for device, (work, _) in zip(devices, rows):
            t.equal(ns(device["busy_ms"]), sum(end - begin for begin, end in joined(work)), "busy is the rank's own")
        everything = joined(rows[0][0] + rows[1][0])
        first = max(min(begin for begin, _ in work) for work, _ in rows)
        idle = sum(after - before for (_, before), (after, _) in zip(everything, everything[1:]) if before >= first)
        t.check(sum(ns(device["idle_ms"]) for device in devices) >= idle, "idle is the GPU's ...")
        t.check(sum(ns(device["idle_ms"]) for device in devices) <= sum(after - before for (_, before), (after, _) in zip(everything, everything[1:])), "... and of one rank each")


def check_apart(t, work, gaps):
    """No gap lies beside work or another gap."""
    rows = sorted(joined(work) + gaps)
    crossing = [(a, b) for a, b in zip(rows, rows[1:]) if b[0] < a[1]]
    t.equal(crossing, [], "idle where nobody works, and once")


def device_rows(document):
    """Begin and end of what ran on GPU 0, and of its gaps up to the last work."""
    base = int(document["baseTimeNanoseconds"])
    spans = {"work": [], "gap": []}
    for event in document["traceEvents"]:
        kind = {"kernel": "work", "gpu_memcpy": "work", "gpu_memset": "work", "gpu_idle": "gap"}.get(event.get("cat"))
        if kind is not None and event["name"] != "nothing left":
            begin = base + round(event["ts"] * 1000)
            spans[kind].append((begin, begin + round(event["dur"] * 1000)))
    return spans["work"], spans["gap"]


def joined(spans):
    whole = []
    for begin, end in sorted(spans):
        if whole and begin <= whole[-1][1]:
            whole[-1] = (whole[-1][0], max(whole[-1][1], end))
        else:
            whole.append((begin, end))
    return whole


def report_of(t, directory):
    return json.loads(t.run([t.syncline, "report", directory, "--format", "json"]).out)


def ns(ms):
    return round(ms * 1e6)
