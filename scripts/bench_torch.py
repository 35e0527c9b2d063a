# SPDX-License-Identifier: Apache-2.0
"""What PyTorch's launches and training steps cost the host on the simulated GPUs: bare, recorded with and without the lines of waits, with
torch.profiler and its stacks, and with py-spy beside; and what observers add to an operator."""

import os
import pathlib
import shutil
import statistics
import subprocess

import torch_check

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROUNDS = 9
OPERATOR_RUNS = 5
FIGURES = (("launches_per_cpu_s", "launches of PyTorch", "k/CPU s", 1e-3), ("step_cpu_ms", "step of PyTorch", "ms CPU", 1),
           ("step_wall_ms", "step of PyTorch", "ms", 1))
TARGETS = {"Syncline": "below torch.profiler's", "Syncline --stacks none": ""}


def measure(bench):
    python, program = ROOT / "build/venv-torch-cuda/bin/python", str(ROOT / "tests/torch_programs/cost.py")
    if not python.exists() or not (bench.build / "simulated_gpu/lib/libcublas.so.13").exists():
        raise RuntimeError("run tests/harness/make_venvs.sh torch-cuda, then scripts/build")
    environment = {**os.environ, "LD_LIBRARY_PATH": str(bench.build / "simulated_gpu/lib"), "OMP_NUM_THREADS": "1"}
    bare, outs = [str(python), "-W", "ignore", program], []

    def recorded(options):
        command, out = bench.recorded(*bare, options=options)
        outs.append(out)
        return command

    def run(line):
        """The program's line; py-spy has its own around it."""
        done = subprocess.run(line, capture_output=True, text=True, check=True, env=environment)
        return next(text for text in done.stdout.splitlines() if text.startswith("{"))

    ways = torch_check.ways(bare, recorded)
    if py_spy := shutil.which("py-spy"):
        ways["py-spy"] = lambda: [py_spy, "record", "--format", "raw", "-o", os.devnull, "--", *bare]
    else:
        print("left out, not installed: py-spy (pip install py-spy)")
    found = torch_check.costs(ROUNDS, ways, run)
    for key, what, unit, scale in FIGURES:
        median = {label: medians[key] for label, medians in found.items()}
        for label, value in median.items():
            bench.row(f"Simulated: {what}, {label}", value * scale, unit)
        for label in list(ways)[1:]:
            ratio = median["bare"] / median[label] if unit == "k/CPU s" else median[label] / median["bare"]
            bench.row(f"  to bare, {label}", ratio, "x", TARGETS.get(label, ""))
        if unit != "k/CPU s":
            bench.row("  what the lines of waits add", median["Syncline"] / median["Syncline --stacks none"], "x", "at most 1.01")
    bench.row("  records lost in these runs", sum(bench.losses(out) for out in outs), "", "0")
    for what, most in (("ops", 60), ("shapes", 250), ("lines", None)):
        operators(bench, [str(python), "-W", "ignore"], environment, what, most)
    modules(bench, [str(python), "-W", "ignore", str(ROOT / "tests/bench/torch_modules.py")], environment)
    memory(bench, [str(python), "-W", "ignore", str(ROOT / "tests/bench/torch_memory.py")], environment)


def modules(bench, program, environment):
    """What --torch modules adds to a call of a module, on one core: medians of processes, which take turns."""
    found, lost = {"bare": [], "hooked": [], "recorded": [], "shut": []}, 0
    for _ in range(OPERATOR_RUNS):
        bare = bench.read_json(program, env=environment)
        found["bare"].append(bare["bare"])
        found["hooked"].append(bare["hooked"])
        for way, options in (("recorded", []), ("shut", ["--stages", "none of it"])):
            command, out = bench.recorded(*program, options=["--torch", "modules", *options])
            found[way].append(bench.read_json(command, env=environment)["bare"])
            lost += bench.losses(out)
    median = {way: statistics.median(times) for way, times in found.items()}
    bench.row("module of PyTorch that does nothing, bare", median["bare"], "ns CPU")
    bench.row("  global hooks that do nothing add", median["hooked"] - median["bare"], "ns CPU")
    bench.row("  --torch modules adds", median["recorded"] - median["bare"], "ns CPU", "at most 300")
    bench.row("  while nothing is to be recorded", median["shut"] - median["bare"], "ns CPU", "at most 150")
    bench.row("  records lost in these runs", lost, "", "0")


def memory(bench, program, environment):
    """What recording adds to an event of the caching allocator, on one core: medians of processes, which take turns."""
    bare, found, lost = [], [], 0
    for _ in range(OPERATOR_RUNS):
        bare.append(bench.read_json(program, env=environment)["shut"])
        command, out = bench.recorded(*program, options=["--stages", "observed"])
        found.append(bench.read_json(command, env=environment))
        lost += bench.losses(out)
    adds, shut = statistics.median(run["recorded_adds"] for run in found), statistics.median(run["shut"] for run in found)
    bench.row("Simulated: event of PyTorch's allocator, with the operator around it, bare", statistics.median(bare), "ns CPU")
    bench.row("  recorded with its line adds", adds, "ns CPU", "at most 60")
    bench.row("  while nothing is to be recorded", shut - statistics.median(bare), "ns CPU", "")
    bench.row("  records lost in these runs", lost, "", "0")


def operators(bench, python, environment, what, most):
    """`what`: of --torch. What observers add to an operator on the CPU, on one core: medians of processes, in each of which all take turns."""
    program = [*python, str(ROOT / "tests/bench/torch_operators.py"), str(bench.build / "bench/libempty_observer.so"), what]
    found, lost = [], 0
    for _ in range(OPERATOR_RUNS):
        command, out = bench.recorded(*program, options=["--torch", what, "--stages", "observed"])
        found.append(bench.read_json(command, env=environment))
        lost += bench.losses(out)
    median = {name: statistics.median(run[name] for run in found) for name in found[0]}
    bench.row("operator of PyTorch (add of 8 numbers), bare", median["bare"], "ns CPU")
    bench.row("  an empty callback with inputs adds" if what == "shapes" else "  an empty callback adds", median["empty_adds"], "ns CPU")
    bench.row(f"  --torch {what} adds", median["syncline_adds"], "ns CPU")
    above = statistics.median(run["syncline_adds"] - run["empty_adds"] for run in found)
    bench.row("  above the empty callback", above, "ns CPU", f"at most {most}" if most else "")
    bench.row("  records lost in these runs", lost, "", "0")
    with_what = {"ops": "", "shapes": " with record_shapes", "lines": " with with_stack"}[what]
    bench.row(f"  torch.profiler{with_what} adds while it records", median["profiler_adds"], "ns CPU")
    bench.row("  with what it does when it ends", median["profiler_whole_adds"], "ns CPU")
