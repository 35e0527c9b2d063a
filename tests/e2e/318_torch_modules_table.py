# SPDX-License-Identifier: Apache-2.0
"""The report's tree of modules: as many calls as the trace has, each path before those below it, and all that the GPU did is in the own times of
modules, forward and backward, or of no module. With --steps there are exactly the modules of the step."""

import collections
import json

LABELS = ("torch", "gpu")
MODES = ("launcher",)
TIMEOUT = 240
STEPS = 3
KERNEL = ("kernel", "gpu_memcpy", "gpu_memset")


def test(t):
    t.simulated_only()
    env = t.torch_environment()
    program = [*t.torch_program("small_training"), str(STEPS), "cuda"]
    recording = t.past_exit_race(lambda: t.record(program, ["--torch", "modules"], env), env)
    t.equal((recording.ending, recording.losses()), ("status 0", {}), f"{recording}")
    trace = recording.trace()
    rows = told(t, recording)
    called = collections.Counter(r.name for r in trace.modules())
    t.equal({row["name"]: row["count"] for row in rows}, dict(called), "calls by path")
    t.equal(dict(called), {path: STEPS + 2 for path in ("Model", "Model.convolution", "Model.first", "Model.second")}, "calls")
    t.equal(rows[0]["name"], "Model", "the parent stands first")
    t.equal({row["name"]: row["class"] for row in rows},
            {"Model": "Model", "Model.convolution": "Conv2d", "Model.first": "Linear", "Model.second": "Linear"}, "classes")
    sums(t, trace, rows)
    for text in (t.run([t.syncline, "report", recording.directory]).out.decode(), page(recording)):
        t.check("Model.convolution" in text and "Conv2d" in text, text[:2000])
    gated(t, program, env, trace)


def told(t, recording):
    return json.loads(t.run([t.syncline, "report", "--no-files", "--format", "json", recording.directory]).out)["modules"]


def page(recording):
    with open(f"{recording.directory}/report/report.html") as file:
        return file.read()


def sums(t, trace, rows):
    given = collections.Counter()
    for event in trace.events:
        if event.get("cat") in KERNEL:
            given[event["args"].get("module")] += event["dur"] / 1000
    t.check(len(given) == 5, f"{given}")
    for row in rows:
        own = row["own_forward_device_ms"] + row["own_backward_device_ms"]
        # Kernels of microseconds lose some where the trace moves neighbours apart: on a busy machine 4 % of a sum.
        t.check(abs(own - given[row["name"]]) <= 0.1 * own and own > 0, f"{row}: {given}")
        t.check(row["own_backward_device_ms"] > 0 and row["backward_launched"] > 0 and row["backward_host_ms"] > 0, f"{row}")
    whole = sum(row["own_forward_device_ms"] for row in rows)
    t.check(abs(rows[0]["forward_device_ms"] - whole) <= 0.001 * whole, f"forward: {rows[0]}")
    whole += sum(row["own_backward_device_ms"] for row in rows)
    t.check(abs(rows[0]["device_ms"] - whole) <= 0.001 * whole, f"{rows[0]}")
    t.check(all(row["own_host_ms"] <= row["host_ms"] for row in rows), f"{rows}")


def gated(t, program, env, whole):
    options = ["--torch", "modules", "--step-range", "step *", "--steps", "3:4"]
    recording = t.past_exit_race(lambda: t.record(program, options, env), env)
    t.equal((recording.ending, recording.losses()), ("status 0", {}), f"{recording}")
    names = collections.Counter(r.name for r in recording.trace().modules())
    t.equal(names, collections.Counter({r.name: 1 for r in whole.modules()}), "one step")
    t.check(any("Module" in r.args for r in recording.trace().operators() if "Backward" in r.name), "backward operators of the step")
    inside = ["--torch", "modules", "--python-ranges", "torch.conv2d,*.relu,*.Linear.forward", "--stages", "*.Linear.forward@py"]
    recording = t.past_exit_race(lambda: t.record(program, inside, env), env)
    t.equal(recording.ending, "status 0", f"{recording}")
    t.equal([r.name for r in recording.trace().modules()], [], "a stage within a module")
    found = {r.args.get("Module") for r in recording.trace().operators()}
    t.equal(found, {None}, "operators of modules that began before the stage")
