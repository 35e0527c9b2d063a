# SPDX-License-Identifier: Apache-2.0
"""--cuda-graphs node: each kernel of a replayed graph tells the operator, its inputs, the ranges and the line under which it was captured:
those that launch the same kernel where the program captures nothing. Also where nothing was recorded yet when the graph was captured."""

import json
from collections import Counter

LABELS = ("torch",)
TIMEOUT = 300
TIMES = 5
OPTIONS = ["--torch", "shapes,modules", "--cuda-graphs", "node", "--stacks", "all"]


def test(t):
    t.simulated_only()
    whole = record(t, "graph")
    wanted, found = eager(record(t, "eager").trace()), replayed(whole.trace(), TIMES)
    t.check(sum(wanted.values()) >= 15, f"{wanted}")
    t.equal(found, wanted, "kernels of one step: name, operator, its inputs, what is around it, line")
    late = replayed(record(t, "graph", ["--step-range", "step *", "--steps", "1:3"]).trace(), 2)
    t.equal(Counter((key[0], key[-1]) for key in late.elements()), Counter((key[0], key[-1]) for key in wanted.elements()), "captured before the steps")
    t.check(all(path.startswith("forward") or path.startswith("Optimizer.step#") or not path for _, _, _, path, _ in late), f"ranges around the capture: {late}")
    t.check(any(path.startswith("forward") for _, _, _, path, _ in late), f"ranges around the capture: {late}")
    report = json.loads(t.run([t.syncline, "report", "--no-files", "--format", "json", whole.directory]).out)
    [addmm] = [row for row in report["operators"] if row["name"] == "aten::addmm"]
    replays = sum(kernel.end - kernel.begin for kernel in kernels(whole.trace()) if kernel.args.get("captured_operator") == "aten::addmm")
    t.equal(round(addmm["own_replayed_ms"] * 1e6), replays, "aten::addmm in graphs")
    of_modules = sum(kernel.end - kernel.begin for kernel in kernels(whole.trace()) if "graph node id" in kernel.args and "module" in kernel.args)
    t.equal(round(sum(row["replayed_ms"] for row in report["modules"] if "." not in row["name"]) * 1e6), of_modules, "modules in graphs")
    t.check(of_modules > 0, f"{report['modules']}")


def record(t, how, options=()):
    env = t.torch_environment()
    done = t.past_exit_race(lambda: t.record([*t.torch_program("captured"), how, str(TIMES)], [*OPTIONS, *options], env), env)
    t.equal((done.ending, done.losses()), ("status 0", {}), f"{done}")
    return done


def kernels(trace):
    return [op for op in trace.device_ops() if op.cat == "kernel"]


def eager(trace):
    """Of the kernels of one step, by the calls that launched them."""
    [step] = trace.ranges(name="step 1")
    calls = {call.args["correlation"]: call for call in trace.calls() if "correlation" in call.args and step.begin <= call.begin < step.end}
    found = Counter()
    for kernel in kernels(trace):
        call = calls.get(kernel.args["correlation"])
        if call is not None:
            around = [r for r in (*trace.ranges(tid=call.tid), *trace.operators(tid=call.tid)) if r.begin <= call.begin and call.end <= r.end]
            around = sorted((r for r in around if r.name != "step 1"), key=lambda r: (r.begin, -r.end))
            inputs = around[-1].args.get("Input Dims")
            found[kernel.name, around[-1].name, str(inputs), " > ".join(r.name for r in around), call.args["where"]] += 1
    return found


def replayed(trace, times):
    """What the kernels of a graph say, of one replay."""
    found = Counter()
    for kernel in kernels(trace):
        if "graph node id" in kernel.args:
            args = kernel.args
            path = args.get("captured_in", "").removeprefix("capture").removeprefix(" > ")
            found[kernel.name, args.get("captured_operator"), str(args.get("Input Dims")), path, args.get("captured_where")] += 1
    if any(count % times for count in found.values()):
        raise AssertionError(f"not of {times} replays each: {found}")
    return Counter({key: count // times for key, count in found.items()})
