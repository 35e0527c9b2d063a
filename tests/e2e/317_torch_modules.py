# SPDX-License-Identifier: Apache-2.0
"""--torch modules of an unmodified program: on each thread the calls of modules, nested and named as hooks of the same program see them in a
run of its own; each operator stands within its module, forward and backward, and each kernel is its operator's."""

import bisect
import collections
import json

import operators

LABELS = ("torch", "gpu")
MODES = ("launcher",)
TIMEOUT = 240
STEPS = 2
KERNEL = ("kernel", "gpu_memcpy", "gpu_memset")
# Beside a word of --torch: what else sees Python's frames, and what else makes ranges of the same calls.
OPTIONS = (["--torch", "modules"], ["--torch", "shapes,modules", "--python-ranges", "*.Net.forward,torch.nn.modules.module.Module.*_call_impl"])
BACKWARD = {"AddmmBackward0": {"Net.layers.0.attn.qkv", "Net.layers.0.attn.out", "Net.layers.0.mlp.0", "Net.layers.0.mlp.2",
                               "Net.layers.1.attn.qkv", "Net.layers.1.attn.out", "Net.layers.1.mlp.0", "Net.layers.1.mlp.2",
                               "Net.heads.first", "Net.heads.second"},
            "SoftmaxBackward0": {"Net.layers.0.attn", "Net.layers.1.attn"},
            "NativeLayerNormBackward0": {"Net.layers.0.norm", "Net.layers.1.norm"}, "MseLossBackward0": {"MSELoss"},
            "ReluBackward0": {"Net.layers.0.mlp.1", "Net.layers.1.mlp.1"}}


def test(t):
    t.simulated_only()
    env, truth = t.torch_environment({"SIMGPU_DEVICES": "2"}), t.path("truth.json")
    program = [*t.torch_program("modules"), str(STEPS), "cuda"]
    t.equal(t.past_exit_race(lambda: t.run([*program, truth], env), env).ending, "status 0", "with hooks")
    with open(truth) as file:
        wanted = sorted([tuple(note) for note in notes] for notes in json.load(file).values())
    t.equal(len(wanted), 4, "threads with modules: the program's two, two of DataParallel")
    for options in OPTIONS:
        recording = t.past_exit_race(lambda: t.record(program, options, env), env)
        t.equal((recording.ending, recording.losses()), ("status 0", {}), f"{options}: {recording}")
        trace = recording.trace()
        nested = operators.nested([(r.pid, r.tid, r.begin, r.end, r.args["class"], r.name) for r in trace.modules()], None)
        found = sorted([(depth, name, of_class) for depth, of_class, name in slices] for slices in nested.values())
        t.equal(found, wanted, f"{options}: modules")
        for one in trace.operators():
            t.check(one.cat == "cpu_op" and ("Sequence number" in one.args or "Fwd thread id" not in one.args), f"{one.args}")
        forward(t, trace)
        backward(t, trace)
        kernels(t, trace)
        python = {r.name for r in trace.ranges() if r.args["domain"] == "py"}
        t.equal(python, {"__main__.Net.forward", "torch.nn.modules.module.Module._wrapped_call_impl",
                         "torch.nn.modules.module.Module._call_impl"} if len(options) > 2 else set(), f"{options}: {python}")


def forward(t, trace):
    """Where there are no backward operators: the module is the innermost slice around."""
    modules, checked = by_thread(trace.modules()), 0
    for one in trace.operators():
        inside = [m for m in modules[one.tid] if m.begin <= one.begin and one.end <= m.end]
        if inside:
            t.equal(one.args.get("Module"), inside[-1].name, f"{one.name} at {one.begin}")
            checked += 1
    t.check(checked > 500, f"{checked} operators in modules")


def backward(t, trace):
    found = collections.defaultdict(collections.Counter)
    for one in trace.operators():
        if one.name in BACKWARD:
            found[one.name][one.args.get("Module")] += 1
            if one.name == "AddmmBackward0":
                t.check(one.args["Fwd thread id"] > 0, f"{one.args}")
    for name, modules in BACKWARD.items():
        t.equal(set(found[name]), modules, name)
        for module, count in found[name].items():
            called = 2 if (name, module) == ("AddmmBackward0", "Net.layers.1.mlp.0") else 1  # within its block, and past it
            t.equal(count, 2 * STEPS * called, f"{name} of {module}: two threads")


def kernels(t, trace):
    """By the operator in which each was launched."""
    launches = {r.args["correlation"]: r for r in trace.calls() if r.args.get("correlation")}
    running, told = by_thread(trace.operators()), 0
    begins = {tid: [r.begin for r in slices] for tid, slices in running.items()}
    for one in trace.device_ops():
        if one.cat not in KERNEL:
            continue
        launch = launches[one.args["correlation"]]
        if launch.tid not in running:
            continue
        index = bisect.bisect_right(begins[launch.tid], launch.begin) - 1
        while index >= 0 and running[launch.tid][index].end < launch.end:
            index -= 1
        if index >= 0:
            operator = running[launch.tid][index]
            t.equal(one.args.get("module"), operator.args.get("Module"), f"{one.name} of {operator.name}")
            told += "module" in one.args
    t.check(told > 200, f"{told} kernels in modules")


def by_thread(slices):
    threads = collections.defaultdict(list)
    for one in slices:
        threads[one.tid].append(one)
    return threads
