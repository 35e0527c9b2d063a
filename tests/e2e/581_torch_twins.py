# SPDX-License-Identifier: Apache-2.0
"""Programs of PyTorch that exist twice: by the truth file the one waits in its steps as its case says, and the other does not."""

import json

import twins

LABELS = ("gpu", "torch")
MODES = ("launcher",)  # nothing is recorded
TIMEOUT = 240
# Each takes seconds to start: those whose wait is not one of the program's main thread, or has no call of its own in the program.
# harness/twins.py runs all.
NAMES = ("mask", "backward_hook")
STEPS, AROUND = 20, 3


def test(t):
    t.simulated_only("kernels take what the table says, and the truth file tells of waits")
    cases = [twin for twin in twins.TWINS if twin.language == "torch"]
    listed = t.run(t.torch_program("twins"), env=t.gpu_environment()).out.decode().split()
    t.equal([twin.name for twin in cases], listed, "the table of the cases")
    for twin in cases:
        twins.line_of(twin)  # one line bears the mark
    for name in NAMES:
        twin = twins.find(name)
        found = [waits(t, twin, without) for without in (False, True)]
        t.check(2 * found[0] > STEPS and found[1] <= AROUND, f"{name}: {found} waits of {twin.wait_class}, with and without")


def waits(t, twin, without):
    path = t.path(f"{twin.name}-{without}.truth")
    twins.run(t, twin, without, {"SIMGPU_TRUTH": path})
    with open(path) as file:
        rows = [json.loads(line) for line in file]
    return sum(row["op"] == "wait" and row["class"] == twin.wait_class and not row["already_done"] for row in rows)
