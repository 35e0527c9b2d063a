# SPDX-License-Identifier: Apache-2.0
"""--torch shapes of an unmodified program: shapes, strides, types, concrete inputs and sequence numbers of each operator, event by event
those that torch.profiler(record_shapes=True) finds in a run of its own; also where inputs are not plain tensors."""

import operators

LABELS = ("torch",)
TIMEOUT = 300


def test(t):
    t.simulated_only()
    compare(t, "small_training", ["3", "cuda"])
    if t.mode == "launcher":
        compare(t, "odd_tensors", [])
        one_step(t, compare(t, "small_training", ["3", "cpu"]))


def compare(t, name, arguments):
    env, theirs = t.torch_environment(), t.path(f"{name}{len(arguments)}.json")
    program = [*t.torch_program(name), *arguments]
    done = t.past_exit_race(lambda: t.run([*t.torch_program("under_profiler"), "--shapes", theirs, *program[3:]], env), env)
    t.equal(done.ending, "status 0", f"torch.profiler: {done}")
    recording = t.past_exit_race(lambda: t.record(program, ["--torch", "shapes"], env), env)
    t.equal((recording.ending, recording.losses()), ("status 0", {}), f"{name}: {recording}")
    t.equal([line for line in recording.said if "--torch" in line], [], name)
    ours = operators.of_trace(recording.trace(), "compared", inputs=True)
    ours = {thread: found for thread, found in ours.items() if not any(event[2] == "another thread" for event in found)}
    profiled = operators.of_profiler(theirs, "compared", inputs=True)
    t.equal(len(ours), len(profiled), f"{name} {arguments}: threads")
    for one, other in zip(operators.sorted_lists(ours), operators.sorted_lists(profiled)):
        t.check(one == other, f"{name} {arguments}: {operators.first_difference(one, other)}")
    text = "".join(event[2] for found in ours.values() for event in found)
    for key in operators.INPUTS:
        t.check(key in text, f"{name}: no {key}")
    print(f"{name} {arguments}: {sum(map(len, ours.values()))} operators and ranges are equal")
    return recording.trace()


def one_step(t, whole):
    """The inputs of a step's operators are those of the same step in a whole recording."""
    env, command = t.torch_environment(), [*t.torch_program("small_training"), "3", "cpu"]
    begins = sorted(r.begin for r in whole.ranges() if r.name.startswith("step "))
    wanted = [operators.with_inputs(op.event) for op in sorted(whole.operators(), key=lambda op: op.begin) if begins[3] <= op.begin < begins[4]]
    options = ["--torch", "shapes", "--step-range", "step *", "--steps", "3:4"]
    part = t.past_exit_race(lambda: t.record(command, options, env), env).trace()
    found = [operators.with_inputs(op.event) for op in sorted(part.operators(), key=lambda op: op.begin)]
    t.equal(found, wanted, "operators of step 3")
    t.check(len(found) > 100, f"{len(found)} operators")
