# SPDX-License-Identifier: Apache-2.0
"""--torch ops of an unmodified program: the operators and named ranges of each thread, forward and backward, event by event those that
torch.profiler finds in a run of its own, and those of a thread that torch.profiler does not see. Without the option there are the named
ranges alone, and with --torch off none."""

import operators

LABELS = ("torch",)
TIMEOUT = 240
STEPS = 3
# The program's other thread, without what those call: torch.profiler records the thread that begins it, and autograd's threads for it.
ANOTHER = [(0, "user_annotation", "another thread"), *[(1, "cpu_op", "aten::arange"), (1, "cpu_op", "aten::sum")] * 3]


def test(t):
    t.simulated_only()
    for device in ("cuda", "cpu") if t.mode == "launcher" else ("cuda",):
        compare(t, device)
    if t.mode == "launcher":
        without(t)


def compare(t, device):
    env, theirs = t.torch_environment(), t.path(f"{device}.json")
    program = [*t.torch_program("small_training"), str(STEPS), device]
    done = t.past_exit_race(lambda: t.run([*t.torch_program("under_profiler"), theirs, *program[3:]], env), env)
    t.equal(done.ending, "status 0", f"torch.profiler: {done}")
    recording = t.past_exit_race(lambda: t.record(program, ["--torch", "ops"], env), env)
    t.equal((recording.ending, recording.losses()), ("status 0", {}), f"{device}: {recording}")
    ours = operators.of_trace(recording.trace(), "compared")
    profiled = operators.of_profiler(theirs, "compared")
    another = [tid for tid, found in ours.items() if found[0] == ANOTHER[0]]
    t.equal(len(another), 1, f"{device}: the other thread")
    t.equal([event for event in ours.pop(another[0]) if event[0] < 2], ANOTHER, f"{device}: the other thread")
    for one, other in zip(operators.sorted_lists(ours), operators.sorted_lists(profiled)):
        t.check(one == other, f"{device}: {operators.first_difference(one, other)}")
    t.equal(len(ours), len(profiled), f"{device}: threads")
    t.equal(len(ours), 1 if device == "cpu" else 2, f"{device}: on the CPU autograd works on the thread that calls backward()")
    everything = [event for found in ours.values() for event in found]
    names = {name for _, _, name in everything}
    wanted = {"aten::conv2d", "aten::addmm", "AddmmBackward0", "autograd::engine::evaluate_function: DoubledBackward", "Doubled", "scripted",
              "step 0", "forward", "Optimizer.step#SGD.step"}
    t.check(wanted <= names, f"{device}: {wanted - names} are missing")
    print(f"{device}: {len(everything)} operators and ranges of {len(ours)} threads are equal, {len(names)} names")


def without(t):
    env = t.torch_environment({"UNCOMPILED": "1"})
    program = [*t.torch_program("small_training"), "1"]
    trace = t.record(program, env=env).trace()
    t.equal(trace.operators(), [], "without --torch")
    names = {r.name for r in trace.ranges()}
    t.check({"step 0", "forward", "another thread", "Optimizer.step#SGD.step"} <= names, f"without --torch: {names}")
    t.equal(t.record(program, ["--torch", "off"], env=env).trace().ranges(), [], "--torch off")
