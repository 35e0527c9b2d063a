# SPDX-License-Identifier: Apache-2.0
"""The report's first ten lines name the line of a leak, of memory in pieces, and of what had no memory; its tables have the peaks that the
program counted, and what stood then by line, operator and class. torch.profiler hears of memory what it hears without us. That nothing is named
where nothing is wrong says 615_torch_memory."""

import json

LABELS = ("gpu", "torch")
MODES = ("launcher",)
TIMEOUT = 240
STEPS = 10


def test(t):
    t.simulated_only()
    env, program = t.torch_environment(), t.torch_program("memory")
    with open(program[-1]) as file:
        lines = {line.split("SEEDED ")[1].strip(): number for number, line in enumerate(file, 1) if "# SEEDED " in line}
    words = {"leak": "grows with each step", "pieces": "lies in pieces", "out_of_memory": "out of memory at"}
    for what, word in words.items():
        recording = t.past_exit_race(lambda: t.record([*program, what, str(STEPS)], ["--torch", "ops"] if what == "leak" else (), env), env)
        t.equal(recording.ending, "status 1" if what == "out_of_memory" else "status 0", f"{what}: {recording}")
        t.said(recording, word, f"memory.py:{lines[what]} Loop.fault()")
        head = " ".join(t.run([t.syncline, "report", recording.directory, "--no-files"]).out.decode().splitlines()[:10])
        t.check(word in head and f"memory.py:{lines[what]} Loop.fault()" in head, f"{what}: {head}")
        told = json.loads(t.run([t.syncline, "report", recording.directory, "--format", "json", "--no-files"]).out)
        rows = [json.loads(line) for line in recording.out.decode().splitlines() if line.startswith('{"step"')]
        CHECKS[what](t, told, rows, lines[what])
    profiled(t, program, env)


def leak(t, told, rows, line):
    t.equal(len(rows), STEPS, "steps")
    peak = max(row["allocated_peak"] for row in rows)
    [allocator], [steps] = told["allocators"], told["steps"]
    [stage] = [row for row in told["stages"] if row["name"] == "step #"]
    for row in (allocator, steps, stage):
        t.equal(row["allocated_peak_bytes"], peak, f"{row}")
        t.equal(row["reserved_peak_bytes"], max(each["reserved_peak"] for each in rows), f"{row}")
    t.equal(steps["allocated_peak_in"], STEPS - 1, f"{steps}")
    [grows] = [row for row in told["memory_growth"] if f":{line} " in row["where"]]
    t.equal((grows["bytes_of_step"], grows["operator"], grows["steps"]), (3 << 20, "aten::empty", grows["of_steps"]), f"{grows}")
    weights = 4 * (512 * 512 + 512) * 4
    places = [row for row in told["memory_places"] if row["moment"] == "at the peak"]
    by_class = {}
    for row in places:
        by_class[row["class"]] = by_class.get(row["class"], 0) + row["bytes"]
    t.equal(sum(by_class.values()) + allocator["unknown_bytes"], peak, "each byte of the peak")
    t.equal(allocator["unknown_bytes"], 0, "all was recorded")
    t.equal(by_class["optimizer state"], 2 * weights, f"{by_class}")
    t.equal(by_class["gradients"], weights - 512 * 4, f"{by_class}: that of the first layer's bias comes last")
    t.equal(by_class["weights"], weights + (3 << 20), f"{by_class}: with the first block that is kept")
    t.check(all(row["operator"] for row in places), f"{places}")


def pieces(t, told, rows, line):
    [text] = [text for text in told["memory"] if "lies in pieces" in text]
    t.check("needed 120 MiB" in text, text)
    t.equal(told["memory_growth"], [], "nothing grows")


def out_of_memory(t, told, rows, line):
    t.equal(len(rows), 2, "it died in the third step")
    [allocator] = told["allocators"]
    t.equal(allocator["out_of_memory"], 1, f"{allocator}")
    t.check("in `step 2`" in told["memory"][0] and "64.0 TiB" in told["memory"][0], told["memory"][0])
    stood = sum(row["bytes"] for row in told["memory_places"] if row["moment"] == "out of memory")
    t.check(stood >= rows[-1]["allocated_current"], f"{stood} of {rows[-1]}")


CHECKS = {"leak": leak, "pieces": pieces, "out_of_memory": out_of_memory}


def profiled(t, program, env):
    heard = {}
    for name in ("bare", "recorded"):
        command = [*program, "profiled", "3", t.path(f"{name}.json")]
        done = t.past_exit_race(lambda: t.run(command, env) if name == "bare" else t.record(command, (), env), env)
        t.equal(done.ending, "status 0", f"{name}: {done}")
        with open(command[-1]) as file:
            events = [event["args"] for event in json.load(file)["traceEvents"] if event["name"] == "[memory]"]
        heard[name] = sorted((event["Device Type"], event["Bytes"], event["Total Allocated"]) for event in events)
    t.check(sum(event[0] == 1 for event in heard["bare"]) > 100, f"{len(heard['bare'])} events")
    t.equal(heard["recorded"], heard["bare"], "torch.profiler's memory")
