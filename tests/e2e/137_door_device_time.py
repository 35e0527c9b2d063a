# SPDX-License-Identifier: Apache-2.0
"""The device time of a region is that of the trace's own operations; what is not known is not told as known."""

import os
import shutil

import interpreters
from chrome_trace import busy_with_launched
from syncline_test import ROOT

LABELS = ("gpu", "python")
PROGRAM = os.path.join(ROOT, "tests", "python_programs", "door_device_time.py")
DURATIONS = "*Long*=400us,*=100us"
OPEN = "while it is open"


def test(t):
    program = t.cuda_program("device_time")
    env = {**t.gpu_environment(), "SIMGPU_DURATIONS": DURATIONS}
    alone = told(t.run([program, "alone"], env=env))
    t.check(alone and all(line == ("unknown", 0) for line in alone.values()), f"without Syncline: {alone}")
    known = followed(t, program, env)
    if not t.on_real_gpu():
        t.equal(known["last"], ("complete", 100_000), "a kernel of known length")
    nodes = told(t.record([program], ["--cuda-graphs", "node"], env=env))
    t.equal(nodes["replay"][0], "at least", "how many nodes have operations is not known")
    if not t.on_real_gpu():
        t.equal(nodes["replay"][1], 800_000, "but what has come is")
    unseen = told(t.record([program], ["--cuda-api", "none"], env=env))
    unseen.pop(OPEN)
    t.equal(set(unseen.values()), {("unknown", 0)}, "launches are not seen")
    gated = told(t.record([program], ["--stages", "inner@region"], env=env))
    t.equal((gated["inner"], gated["outer"][0]), (known["inner"] if not t.on_real_gpu() else gated["inner"], "at least"), "with --stages")
    without = told(t.run([t.syncline, "-o", t.new_directory(), "--collect", "cuda", "--", program, "alone"], env=env))
    t.equal(set(without.values()), {("unknown", 0)}, "the door is left out")
    of_python(t)


def told(done):
    lines = [line.rsplit(" ", 2) for line in done.out.decode().splitlines()]
    return {name: (state.replace("-", " "), int(ns)) for name, state, ns in lines}


def followed(t, program, env):
    recording = t.record([program], env=env)
    known, trace = told(recording), recording.trace()
    t.equal(known.pop(OPEN)[0], "pending", "an open region")
    nothing = ("nothing", "capture", "anywhere", "nested 5", "forgotten")
    t.equal({name: known.pop(name) for name in nothing}, dict.fromkeys(nothing, ("unknown", 0)), "of these nothing is known")
    ranges = {name: trace.ranges(name=name)[-1] for name in known if name != "last"}
    ranges["last"] = trace.ranges(name="many")[-1]
    t.equal(known, {name: ("complete", busy_with_launched(trace, r)) for name, r in ranges.items()}, f"{recording}")
    t.check(known["inner"][1] < known["outer"][1] < known["inner"][1] + 4 * known["nested 1"][1] + 10_000, f"{known}")
    t.equal(recording.losses(), {"device_time": 1}, "the fifth within another")
    return known


def of_python(t):
    place = t.path("site")
    shutil.copytree(os.path.join(ROOT, "packaging", "wheel"), os.path.join(place, "syncline"))
    env = {**t.gpu_environment(), "PYTHONPATH": place, "SIMGPU_DURATIONS": "*=10us"}
    names = ("open", "outer", "inner", "not asked", "task", "again", "again")
    for version, python in interpreters.found(t):
        alone = t.run([python, PROGRAM], env=env).out.decode().splitlines()
        t.equal(alone, [f"{name} unknown None" for name in names], version)
        recording = t.record([python, PROGRAM], env=env)
        trace = recording.trace()
        true = {name: busy_with_launched(trace, trace.ranges(name=name)[0]) for name in ("outer", "inner")}
        again = [busy_with_launched(trace, r) for r in trace.ranges(name="again")]
        lines = recording.out.decode().splitlines()
        t.check(lines[0].startswith("open pending"), f"{version}: {lines}")
        of_each = [f"outer complete {true['outer']}", f"inner complete {true['inner']}"]
        t.equal(lines[1:], [*of_each, "not asked unknown None", "task unknown None", *[f"again complete {ns}" for ns in again]], version)
        t.equal(trace.ranges(name="outer")[0].args["payload"], {"flags": 1, "device_time": 1}, version)
