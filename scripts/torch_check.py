# SPDX-License-Identifier: Apache-2.0
"""PyTorch's part of scripts/gpu_check: a training and an inference loop recorded by Syncline and by torch.profiler, their kernels
compared; and what a launch and a step cost bare and under each."""

import collections
import gzip
import json
import pathlib
import statistics
import subprocess

PROGRAMS = pathlib.Path(__file__).resolve().parent.parent / "tests/torch_programs"
LOOPS = {"training loop": ["training.py", "16"], "inference loop": ["inference.py", "12"]}
ROUNDS = 3
COSTS = (("launches_per_cpu_s", "launches per second of the thread's CPU", "{:,.0f}"),
         ("step_cpu_ms", "CPU ms of a step", "{:.3f}"), ("step_wall_ms", "wall ms of a step", "{:.3f}"))
OPERATIONS = ("kernel", "gpu_memcpy", "gpu_memset")
MOST_SHOWN = 10


class NotPossible(Exception):
    """Why nothing of PyTorch was checked."""


def operations(path):
    """Of each name and category: durations in us."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    found = collections.defaultdict(list)
    for event in events:
        if event.get("ph") == "X" and event.get("cat") in OPERATIONS:
            found[event["cat"], event["name"]].append(event["dur"])
    return found


def costs(rounds, ways, run):
    """Of each way of `ways` the medians of cost.py's figures; in turn, so that a busy machine is busy for all. A way's function says
    what to run, and `run(line)` is what that prints."""
    found = {label: [] for label in ways}
    for _ in range(rounds):
        for label, line_of in ways.items():
            found[label].append(json.loads(run(line_of())))
    return {label: {key: statistics.median(row[key] for row in rows) for key in rows[0]} for label, rows in found.items()}


def ways(program, recorded):
    """Bare, under Syncline and under torch.profiler, and without Syncline's stacks and with torch.profiler's. `recorded(options)`: the
    command line that records `program`."""
    return {"bare": lambda: program, "Syncline": lambda: recorded([]), "Syncline --stacks none": lambda: recorded(["--stacks", "none"]),
            "torch.profiler": lambda: [*program, "--profiler"], "torch.profiler with_stack": lambda: [*program, "--profiler", "--with-stack"]}


class TorchCheck:
    """`lines`: of the report; `problems`: what differs that should not."""

    def __init__(self, syncline, python, environment, scratch):
        self.syncline, self.python, self.environment, self.scratch = str(syncline), str(python), environment, scratch
        self.lines, self.problems = [], []
        if not self.has_gpu():
            raise NotPossible(f"{python} has no PyTorch that sees a GPU")

    def has_gpu(self):
        probe = [self.python, "-c", "import torch; print(torch.cuda.is_available())"]
        done = subprocess.run(probe, env=self.environment, capture_output=True, text=True, check=False, timeout=120)
        return done.stdout.strip() == "True"

    def run(self, *command):
        done = subprocess.run([str(word) for word in command], env=self.environment, capture_output=True, text=True, check=False, timeout=300)
        if done.returncode != 0:
            raise NotPossible(f"{' '.join(map(str, command))} ended with {done.returncode}: {done.stderr.strip()[-500:]}")
        return done.stdout

    def check(self):
        for what, program in LOOPS.items():
            self.compare(what, [PROGRAMS / program[0], *program[1:]])
        self.costs()

    def compare(self, what, program):
        """Two runs of one program launch the same kernels; how long they take differs as runs do."""
        out, profiled = self.scratch / what.replace(" ", "-"), self.scratch / f"{what.replace(' ', '-')}.json"
        python = [self.python, "-W", "ignore"]
        self.run(self.syncline, "-o", out, "--quiet", "--cuda-graphs", "node", "--", *python, *program)
        self.run(*python, PROGRAMS / "under_profiler.py", profiled, *program)
        ours, theirs = operations(next(out.glob("rank-*.trace.json.gz"))), operations(profiled)
        self.lines += [f"### {what}", "", "| | Syncline | torch.profiler |", "|---|---|---|"]
        for category in OPERATIONS:
            row = [[len(durations) for (kind, _), durations in found.items() if kind == category] for found in (ours, theirs)]
            self.lines.append(f"| {category}: operations (names) | {sum(row[0])} ({len(row[0])}) | {sum(row[1])} ({len(row[1])}) |")
        total = [sum(map(sum, found.values())) for found in (ours, theirs)]
        self.lines += [f"| all operations together, us | {total[0]:,.0f} | {total[1]:,.0f} |", ""]
        differ = [(name, len(ours.get(name, [])), len(theirs.get(name, []))) for name in sorted(set(ours) | set(theirs))
                  if len(ours.get(name, [])) != len(theirs.get(name, []))]
        self.problems += [f"{what}: {name[1]}: {one} in Syncline's trace, {other} in torch.profiler's" for name, one, other in differ]
        shown = [f"* `{name[1][:120]}`: {one} and {other}" for name, one, other in differ[:MOST_SHOWN]]
        self.lines += ["Numbers that differ:", "", *shown, ""] if shown else ["Each kernel, copy and memset is as often in one as in the other.", ""]

    def costs(self):
        program = [self.python, "-W", "ignore", PROGRAMS / "cost.py"]
        record = [self.syncline, "-o", self.scratch / "cost", "--force", "--quiet"]
        found = costs(ROUNDS, ways(program, lambda options: [*record, *options, "--", *program]), lambda line: self.run(*line))
        self.lines += [f"### Cost, median of {ROUNDS} runs each, in turn", "", f"| | {' | '.join(found)} |", "|---" * (len(found) + 1) + "|"]
        for key, what, form in COSTS:
            cells = [form.format(medians[key]) for medians in found.values()]
            self.lines.append(f"| {what} | {' | '.join(cells)} |")
        self.lines.append("")
