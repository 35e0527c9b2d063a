# SPDX-License-Identifier: Apache-2.0
"""Operators by the line that called them, backward ones by the line that they go back through, on autograd's threads and on the program's own."""

import collections
import json

LABELS = ("torch",)
MODES = ("launcher",)
TIMEOUT = 120
STEPS = 4
# A step's, by the statement that calls them.
WANTED = {
    "torch.mul(x, factors)": {"aten::mul": 2, "MulBackward0": 1},
    "torch.sqrt(x)": {"aten::sqrt": 2, "SqrtBackward0": 2, "aten::div": 2, "aten::mul": 4},
    "Doubled.apply(y)": {"aten::add": 2, "Doubled": 1, "DoubledBackward": 1, "SumBackward0": 1, "aten::sum": 2},
    "loss.backward()": {"aten::ones_like": 1, "torch::autograd::AccumulateGrad": 1},
    "factors.sub_(": {"aten::sub_": 1},
}


def test(t):
    t.simulated_only()
    env, program = t.torch_environment(), t.torch_program("called_lines")
    names = {name for row in WANTED.values() for name in row}
    for threads in ("many", "one"):
        recording = t.past_exit_race(lambda: t.record([*program, str(STEPS), threads], ["--torch", "lines"], env), env)
        counted = collections.defaultdict(dict)
        for row in json.loads(report(t, recording, "--format", "json").out)["operators"]:
            if row["name"] in names:
                counted[statement(program[-1], row["line"])][row["name"]] = row["count"]
        wanted = {line: {name: count * STEPS for name, count in row.items()} for line, row in WANTED.items()}
        t.equal({line: counted[key] for line in wanted for key in counted if line in key}, wanted, f"{threads}: {dict(counted)}")
        t.equal(sum(len(row) for row in counted.values()), sum(len(row) for row in wanted.values()), f"no other lines: {dict(counted)}")
    stacks = [one.args for one in recording.trace().operators() if one.name == "aten::sqrt"]
    t.equal(len(stacks), 2 * STEPS, "operators in the trace")
    t.check(all("called_lines.py(17): root;" in one["Call stack"] and "called_lines.py:17 root()" in one["where"] for one in stacks), f"{stacks[0]}")
    without = t.past_exit_race(lambda: t.record([*program, "1", "one"], ["--torch", "lines", "--stacks", "none"], env), env)
    t.said(report(t, without), "the run has no lines of operators")
    t.said(without, "--torch lines records no lines: --stacks none")


def statement(script, where):
    """The text of the line `path:12 function()`."""
    with open(script) as file:
        return file.read().splitlines()[int(where.rsplit(":", 1)[1].split()[0]) - 1].strip()


def report(t, recording, *options):
    return t.run([t.syncline, "report", "--no-files", "--by-line", *options, recording.directory])
