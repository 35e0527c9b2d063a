# SPDX-License-Identifier: Apache-2.0
"""--torch ops of a program that observes its operators itself, by torch.profiler and by an observer of execution traces: what both write is
what they write without us, and ours is what torch.profiler has."""

import json

import operators

LABELS = ("torch",)
TIMEOUT = 240


def test(t):
    t.simulated_only()
    written = {}
    for name in ("bare", "recorded"):
        profile, nodes = t.path(f"{name}.json"), t.path(f"{name}.nodes")
        command = [*t.torch_program("observed"), profile, nodes, t.torch_program("small_training")[-1], "3", "cpu"]
        env, options = t.torch_environment(), ["--torch", "ops"]
        done = t.past_exit_race(lambda: t.run(command, env) if name == "bare" else t.record(command, options, env), env)
        t.equal(done.ending, "status 0", f"{done}")
        with open(nodes) as file:
            written[name] = (operators.of_profiler(profile), [node["name"] for node in json.load(file)["nodes"]])
    (bare, bare_nodes), (recorded, nodes) = written["bare"], written["recorded"]
    t.equal(operators.sorted_lists(recorded), operators.sorted_lists(bare), "torch.profiler's trace")
    t.check(len(nodes) > 500, f"{len(nodes)} nodes of the execution trace")
    t.equal(nodes, bare_nodes, "nodes of the execution trace")
    t.equal(done.losses(), {}, "recorded")
    [theirs] = operators.of_profiler(t.path("recorded.json"), "compared").values()
    ours = operators.of_trace(done.trace(), "compared")
    t.check(theirs in ours.values(), f"{operators.first_difference(theirs, max(ours.values(), key=len))}")
