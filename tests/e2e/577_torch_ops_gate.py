# SPDX-License-Identifier: Apache-2.0
"""--torch ops with --steps, --schedule and --stages: exactly the operators of the steps or stages, from the first one on, whichever range
makes them; while the gate is shut PyTorch does not even call us."""

import json

import operators

LABELS = ("torch",)
TIMEOUT = 300
STEPS = 6  # and two before them
# What makes a step: the program's words for it, Syncline's options.
WAYS = {"record_function": ["--step-range", "step *"], "nvtx": ["--step-range", "step *"],
        "function": ["--python-ranges", "__main__.one_step", "--step-range", "__main__.one_step"],
        "optimizer": []}  # nobody's: each begins with the optimizer's
GATES = (["--steps", "3:5"], ["--schedule", "wait=3 active=2 repeat=1"])
MOST_ASKED = 2  # operators that begin in a thread before it sees that they are not wanted any more, each time that the gate closes


def test(t):
    t.simulated_only()
    wholes = {}  # by what makes a step
    for way, options in WAYS.items():
        if t.mode == "process" and way != "nvtx":
            continue
        named = "record_function" if way == "optimizer" else way
        program = [*t.torch_program("small_training"), str(STEPS), "cuda", named]
        if named not in wholes:
            wholes[named] = record(t, program, options if way == "function" else [])
            t.equal(wholes[named].losses(), {}, way)
        for gate in GATES if way == "record_function" else GATES[:1]:
            steps(t, way, wholes[named], record(t, program, [*options, *gate]))
    if t.mode == "launcher":
        stages(t, wholes["record_function"].trace())


def record(t, program, options):
    env = t.torch_environment({"UNCOMPILED": "1"})
    return t.past_exit_race(lambda: t.record(program, ["--torch", "ops", *options], env), env)


def steps(t, way, whole, recording):
    """From the begin of the step with the number 3 to that of the one with the number 5."""
    t.equal((recording.ending, recording.losses()), ("status 0", {}), f"{way}: {recording}")
    is_step = (lambda name: name.startswith("Optimizer.step#")) if way == "optimizer" else lambda name: name.startswith("step ") or name == "__main__.one_step"
    begins = [r.begin for r in whole.trace().ranges() if is_step(r.name)]
    t.equal(len(begins), STEPS + 2, f"{way}: steps")
    wanted = [s for s in operators.slices_of(whole.trace()) if begins[3] <= s[2] < begins[5]]
    compare(t, way, wanted, operators.slices_of(recording.trace()))
    findings = json.loads(t.run([t.syncline, "report", "--no-files", "--format", "json", recording.directory]).out)["findings"]
    length_ms = (recording.trace().ranges()[-1].end - recording.trace().ranges()[0].begin) / 1e6
    t.check(all((finding["gain_ms"] or 0) < length_ms for finding in findings), f"{way}: gains within {length_ms} ms: {findings}")
    left_out = recording.manifest()["not_recorded"]["ranges"]
    named = sum(r.cat != "cpu_op" for r in (*whole.trace().operators(), *whole.trace().ranges()))
    t.check(left_out <= named + MOST_ASKED * 2 * 2, f"{way}: {left_out} ranges were looked at and left out, of {named} named ones")


def compare(t, what, wanted, found):
    wanted, found = (operators.sorted_lists(operators.nested(slices, None)) for slices in (wanted, found))
    for one, other in zip(found, wanted):
        t.check(one == other, f"{what}: {operators.first_difference(one, other)}")
    t.equal(len(found), len(wanted), f"{what}: threads")
    print(f"{what}: {sum(map(len, found))} operators and ranges of {len(found)} threads")


def stages(t, whole):
    program = [*t.torch_program("small_training"), str(STEPS)]
    forward = [(r.begin, r.end) for r in whole.ranges() if r.name == "forward"]
    wanted = [s for s in operators.slices_of(whole) if any(begin <= s[2] <= end for begin, end in forward)]
    recording = record(t, program, ["--stages", "forward"])
    compare(t, "--stages", wanted, operators.slices_of(recording.trace()))
