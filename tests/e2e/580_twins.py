# SPDX-License-Identifier: Apache-2.0
"""CUDA programs that exist twice: by the truth file the one waits in its steps as its case says, and the other does not; without what
the case removes it takes less time."""

import json

import twins

LABELS = ("gpu",)
MODES = ("launcher",)  # nothing is recorded
TIMEOUT = 240
ALONE = True  # times are compared
STEPS = 30
AROUND = 3  # waits behind the warm-up and at the end, and one of a kernel's first launch
NO_GAIN = ("busy_anyway",)


def test(t):
    t.simulated_only("kernels take what the table says, and the truth file tells of waits")
    cases = [twin for twin in twins.TWINS if twin.language == "cuda"]
    listed = t.run([t.cuda_program("twins")], env=t.gpu_environment()).out.decode().split()
    t.equal([twin.name for twin in cases], listed, "the table of the cases")
    for twin in cases:
        twins.line_of(twin)  # one line bears the mark
        truths = [truth(t, twin, without) for without in (False, True)]
        check_waits(t, twin, truths)
        if twin.name in NO_GAIN:
            gaps = idle(truths[False])
            t.check(gaps[len(gaps) // 2] < 20_000, f"{twin.name}: the device had nothing to do for {gaps} ns")
            continue
        took = twins.measure_twin(t, twin, runs=3)
        t.equal(took.steps, STEPS, "steps")
        t.check(took.gain_ms > 0, f"{twin.name}: {took}")


def truth(t, twin, without):
    path = t.path(f"{twin.name}-{without}.truth")
    twins.run(t, twin, without, {"SIMGPU_TRUTH": path})
    with open(path) as file:
        return [json.loads(line) for line in file]


def check_waits(t, twin, truths):
    """Steps wait with what the case removes, and without it none does. Where a case is none of waits, both wait alike. On a busy machine a
    thread comes to a wait now and then when that is over."""
    classes = [[row["class"] for row in rows if row["op"] == "wait" and not row["already_done"]] for rows in truths]
    if twin.wait_class is None:
        t.check(abs(len(classes[0]) - len(classes[1])) <= AROUND, f"{twin.name}: {classes}")
        return
    found = [names.count(twin.wait_class) for names in classes]
    t.check(2 * found[0] > STEPS and found[1] <= AROUND, f"{twin.name}: {found} waits of {twin.wait_class}, with and without")


def idle(rows):
    """How long the device had nothing to do between kernels, sorted."""
    kernels = sorted((row["start_ns"], row["end_ns"]) for row in rows if row["op"] == "kernel")
    return sorted(begin - end for (_, end), (begin, _) in zip(kernels, kernels[1:]))
