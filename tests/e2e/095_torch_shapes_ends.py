# SPDX-License-Identifier: Apache-2.0
"""--torch shapes where there is little to read, and around the ends of processes: symbolic, nested, functional and batched tensors, more
than a record tells; workers of a DataLoader, a fork's child, functions of exit, a kill inside an operator, tasks of TorchScript. Each
program does what it does without us, and each operator has what it was called with."""

LABELS = ("torch", "endings")
TIMEOUT = 240
MODES = ("launcher",)
OPTIONS = ["--torch", "shapes"]
PAIR = ([[4], [4]], [[1], [1]], ["float", "float"])  # what operators_end.py counts


def test(t):
    t.simulated_only()
    odd(t)
    for part, count, name in (("workers", 32, "logaddexp"), ("fork", 10, "logaddexp"), ("exit", 50, "copysign"), ("kill", 7, "logaddexp"),
                              ("jit", 16, "logaddexp")):
        trace = record(t, "operators_end", part, killed=part == "kill")
        found = [inputs(op) for op in trace.operators(name=f"aten::{name}")]
        t.equal(found, [PAIR] * count, part)


def record(t, program, part, **how):
    env, command = t.torch_environment(), [*t.torch_program(program), part]
    bare = t.past_exit_race(lambda: t.run(command, env), env)
    recording = t.past_exit_race(lambda: t.record(command, OPTIONS, env, **how), env)
    t.equal((recording.out, recording.err, recording.ending), (bare.out, bare.err, bare.ending), part)
    t.equal(recording.losses(), {}, part)
    return recording.trace()


def inputs(op):
    return op.args["Input Dims"], op.args["Input Strides"], op.args["Input type"]


def odd(t):
    trace = record(t, "odd_tensors", "apart")
    [around] = trace.ranges(name="told apart")
    found = {}
    for op in trace.operators():
        if around.begin <= op.begin <= around.end:
            found.setdefault(op.name, []).append(op)
    t.equal(found["aten::sin"][0].args["Input Dims"], [[2]], "one of a batch")
    t.equal(inputs(found["aten::mul"][0])[0][0], [], "a nested tensor has no sizes that could be told")
    # Python is not asked for the sizes of a symbolic tensor, nor for those that the program gives.
    [expanded] = [op for op in found["aten::expand"] if "?" in op.args["Concrete Inputs"][1]]
    t.equal((expanded.args["Concrete Inputs"][1], inputs(expanded)[0][0]), ("[2, ?, 4]", []), f"{expanded}")
    [joined] = [op for op in found["aten::cat"] if op.begin > expanded.begin]
    t.check(joined.args["Inputs cut"] is True and len(joined.args["Input Dims"][0]) < 30, f"{joined}")
