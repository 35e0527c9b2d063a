# SPDX-License-Identifier: Apache-2.0
"""The parts of a training's step without a word in the program: data, forward, backward and optimizer, each as long as it sleeps, and what
autograd's threads launch is backward's."""

import json

LABELS = ("torch",)
TIMEOUT = 240
MODES = ("launcher",)
ALONE = True
STEPS = 5
SLEEPS_MS = {"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__": 10, "training forward": 20, "autograd.backward": 40,
             "Optimizer.step#Optimizer.step": 30}


def test(t):
    t.simulated_only()
    env = t.torch_environment()
    recording = t.past_exit_race(lambda: t.record([*t.torch_program("phases"), str(STEPS), "cuda"], env=env), env)
    t.equal((recording.ending, recording.losses()), ("status 0", {}), f"{recording}")
    report = json.loads(t.run([t.syncline, "report", "--no-files", "--format", "json", recording.directory]).out)
    stages = {stage["name"]: stage for stage in report["stages"]}
    for name, sleeps in SLEEPS_MS.items():
        stage = stages[name]
        t.check(sleeps <= stage["median_ms"] and stage["min_ms"] < sleeps + 9, f"{name}: {stage}")
        t.check(STEPS <= stage["count"] <= STEPS + 1, f"{name}: {stage}")
    trace = recording.trace()
    backward = [(r.begin, r.end) for r in trace.ranges() if r.name == "autograd.backward"]
    t.equal(len(backward), STEPS, "ranges of backward")
    launching = {call.args["correlation"]: call.begin for call in trace.calls() if "correlation" in call.args}
    launched = [launching[op.args["correlation"]] for op in trace.device_ops()]
    within = sum(any(begin <= at < end for begin, end in backward) for at in launched)
    t.check(within >= STEPS, f"{within} launches of {len(launched)}")
    t.equal(stages["autograd.backward"]["launched"], within, "launched in backward, by autograd's thread")
