# SPDX-License-Identifier: Apache-2.0
"""Advice in the words of PyTorch's users is for the place that it names, and holds: an optimizer of many small kernels, and its twins."""

import json

LABELS = ("torch",)
TIMEOUT = 240
MODES = ("launcher",)
ALONE = True
SHORT = {"SIMGPU_DURATIONS": "*gemm*=4us,*=1us"}


def test(t):
    t.simulated_only()
    single = report(t, "single")
    first = single["findings"][0]
    t.equal((first["kind"], first["stage"]), ("launch_bound", "Optimizer.step#AdamW.step"), f"{first}")
    t.check("fused=True" in first["advice"] and "foreach=True" in first["advice"], f"{first}")
    for twin in ("foreach", "fused"):
        took = step_ms(report(t, twin))
        t.check(took < 0.85 * step_ms(single), f"a step of {twin} and of single: {took} and {step_ms(single)} ms")


def report(t, how):
    env = {**t.torch_environment(), **SHORT}
    done = t.past_exit_race(lambda: t.record([*t.torch_program("optimizers"), how], env=env), env)
    t.equal((done.ending, done.losses()), ("status 0", {}), f"{how}: {done}")
    return json.loads(t.run([t.syncline, "report", "--no-files", "--format", "json", done.directory]).out)


def step_ms(told):
    [series] = [row for row in told["steps"] if row["name"] == "training step"]
    return series["median_ms"]
