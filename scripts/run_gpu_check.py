#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks Syncline on a machine with an NVIDIA GPU, in one command; called by scripts/gpu_check.

Needs there: the driver, a CUDA 13 toolkit (nvcc) and Python 3; downloads nothing. Syncline itself is a package that
`scripts/gpu_check --pack` made on a build machine, or else build/release. Compiles the CUDA programs and the facts program,
compares the facts with those of the simulation, runs the end-to-end tests labelled gpu, records a training and an inference loop
of PyTorch where it is installed beside torch.profiler's own traces of them, and prices. The report in docs/results/ is written
after each of these parts: whoever stops the check has what was found by then.
"""

import argparse
import concurrent.futures
import datetime
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time

import torch_check

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/harness"))
import price_check  # noqa: E402
import processes  # noqa: E402

PACKAGE = ROOT / "build/gpu_check"
SIMULATED = ROOT / "tests/simulated_gpu"
PROGRAM_FLAGS = {"per_thread": ["--default-stream", "per-thread"]}
MOST_MIB = 60
CLOSING = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", re.M)


class CannotCheck(Exception):
    """What the machine lacks, and what to do."""


def read(command, **more):
    """Output of a command, or "" where it cannot run or fails."""
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=120, **more)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def pack():
    """Copies the release build's command and library, without symbols, to build/gpu_check."""
    shutil.rmtree(PACKAGE, ignore_errors=True)
    for name in ("bin/syncline", "lib/libsyncline.so"):
        source = ROOT / "build/release" / name
        if not source.exists():
            raise CannotCheck(f"{source} is missing: run scripts/build first")
        target = PACKAGE / name
        target.parent.mkdir(parents=True)
        subprocess.run(["strip", "--strip-unneeded", "-o", target, source], check=True)
    size = sum(path.stat().st_size for path in PACKAGE.rglob("*") if path.is_file()) / 2**20
    needs = sorted(set(re.findall(r"NEEDED.*\[(.*)\]", "".join(
        read(["readelf", "-d", PACKAGE / name]) for name in ("bin/syncline", "lib/libsyncline.so")))))
    print(f"{PACKAGE.relative_to(ROOT)}: {size:.1f} MiB, needs {', '.join(needs)}")
    if size > MOST_MIB:
        raise CannotCheck(f"the package is larger than {MOST_MIB} MiB")


def find_syncline():
    """The newer of the two, where both are there."""
    found = [build for build in (PACKAGE, ROOT / "build/release") if (build / "bin/syncline").exists()]
    if found:
        return max(found, key=lambda build: (build / "bin/syncline").stat().st_mtime)
    raise CannotCheck("no Syncline is here: run `scripts/gpu_check --pack` on a build machine and copy build/gpu_check, "
                      "or run scripts/build")


class Toolkit:
    """nvcc, its headers and libraries."""

    def __init__(self):
        homes = [os.environ.get("CUDA_HOME"), "/usr/local/cuda", "/usr/local/cuda-13.0"]
        nvcc = next((str(pathlib.Path(home) / "bin/nvcc") for home in homes
                     if home and (pathlib.Path(home) / "bin/nvcc").exists()), None) or shutil.which("nvcc")
        if nvcc is None:
            raise CannotCheck("no nvcc: set CUDA_HOME to a CUDA 13 toolkit")
        self.nvcc = nvcc
        self.home = pathlib.Path(nvcc).resolve().parent.parent
        self.include = [folder for folder in (self.home / "include", self.home / "extras/CUPTI/include") if folder.is_dir()]
        self.version = (re.findall(r"release ([\d.]+)", read([nvcc, "--version"])) or ["unknown"])[0]

    def library_path(self):
        folders = [self.home / "lib64", self.home / "lib", self.home / "extras/CUPTI/lib64", self.home / "targets/x86_64-linux/lib"]
        return ":".join(str(folder) for folder in folders if folder.is_dir())

    def compile(self, output, sources, *flags):
        output.parent.mkdir(parents=True, exist_ok=True)
        includes = [word for folder in [ROOT, *self.include] for word in ("-I", folder)]
        command = [self.nvcc, "-std=c++17", "-O1", "-arch=native", *flags, *includes, *sources, "-o", output, "-ldl"]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
        return "" if done.returncode == 0 else f"{output.name}: {done.stderr.strip()[-2000:]}"


def compile_all(toolkit, build):
    """Programs in both linkages, and the facts program; returns what failed."""
    folder = build / "simulated_gpu/programs"
    jobs = []
    for source in sorted((SIMULATED / "programs").glob("*.cu")):
        flags = PROGRAM_FLAGS.get(source.stem, [])
        if source.stem == "own_profiler":
            flags = [f"-L{folder}" for folder in toolkit.library_path().split(":")] + ["-lcupti"]
        jobs.append((folder / source.stem, [source], "-cudart", "shared", *flags))
        jobs.append((folder / "static" / source.stem, [source], "-cudart", "static", *flags))
    facts = sorted((SIMULATED / "facts").glob("*.cc")) + [SIMULATED / "facts/kernels.cu"]
    jobs.append((build / "facts", facts, "-cudart", "shared", "-Xcompiler", "-pthread"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [problem for problem in pool.map(lambda job: toolkit.compile(*job), jobs) if problem]


def facts_of(text):
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


def compare_facts(found, simulated):
    """Rows (fact, here, simulation) that differ."""
    return [(key, found.get(key, "-"), simulated.get(key, "-"))
            for key in sorted(set(found) | set(simulated)) if found.get(key) != simulated.get(key)]


def run_tests(build, libraries, seconds):
    """What they print, and how many passed, failed and were skipped. They are stopped after so many seconds, and then one failed."""
    environment = {**os.environ, "E2E_GPU": libraries}
    command = [sys.executable, str(ROOT / "tests/harness/run_tests.py"), "--build", str(build), "--label", "gpu"]
    text = ""
    # Line by line: a check that is stopped has shown what was tried until then.
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as running:
        stopped = threading.Event()
        timer = threading.Timer(seconds, lambda: (stopped.set(), processes.end_tree(running.pid)))
        timer.start()
        for line in running.stdout:
            print(line, end="", flush=True)
            text += line
        timer.cancel()
    closing = CLOSING.findall(text)
    if closing:
        return text, tuple(int(number) for number in closing[-1])
    outcomes = [len(re.findall(f"^{word} ", text, re.M)) for word in ("ok  ", "FAIL", "skip")]
    ended = f"the tests were stopped after {seconds} s (--tests-limit)" if stopped.is_set() else "the tests ended before all were run"
    return f"{text}{ended}\n", (outcomes[0], outcomes[1] + 1, outcomes[2])


def describe_machine(toolkit, gpu):
    rows = [("GPU", gpu), ("driver", read(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader", "-i", "0"])),
            ("CUDA toolkit", toolkit.version), ("Syncline", read([find_syncline() / "bin/syncline", "--version"]).splitlines()[0]),
            ("PyTorch", read([sys.executable, "-c", "import torch; print(torch.__version__)"]) or "none"),
            ("date", datetime.date.today().isoformat())]
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows)])


def check_torch(syncline, build, simulated):
    """Lines for the report, and problems. PyTorch brings its own libraries; the simulated ones have to be named."""
    python = SIMULATED_PYTHON if simulated else sys.executable
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    if simulated:
        environment["LD_LIBRARY_PATH"] = str(SIMULATED_LIBRARIES)
    scratch = build / "torch"
    scratch.mkdir()
    try:
        found = torch_check.TorchCheck(syncline, python, environment, scratch)
        found.check()
    except (torch_check.NotPossible, OSError, subprocess.TimeoutExpired) as reason:
        print(f"PyTorch was not checked: {reason}", flush=True)
        return [f"Not checked: {reason}", ""], []
    print("\n".join(found.lines), flush=True)
    return found.lines, found.problems


def check_prices(syncline, build, simulated):
    """Lines for the report."""
    python = SIMULATED_PYTHON if simulated else sys.executable
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    if simulated:
        environment["LD_LIBRARY_PATH"] = str(SIMULATED_LIBRARIES)
    scratch = build / "prices"
    scratch.mkdir()
    found = price_check.PriceCheck(syncline, python, environment, scratch, 256 if simulated else REAL_SIZE)
    try:
        found.check()
    except (OSError, ValueError, KeyError, subprocess.TimeoutExpired) as reason:
        print(f"prices were not checked: {reason}", flush=True)
        return [f"Not checked: {reason}", ""]
    print("\n".join(found.lines), flush=True)
    return found.lines


def report(machine, parts, seconds, label):
    lines = [f"# GPU check: {label}", "", machine, "", f"Took {seconds:.0f} s. Made by `scripts/gpu_check`.", ""]
    for title, text in parts.items():
        lines += [f"## {title}", "", *text, ""]
    return "\n".join(lines).rstrip() + "\n"


class Check:
    """The parts, in the order in which they are worth most when the check is stopped."""

    def __init__(self, arguments):
        self.begin = time.monotonic()
        self.simulated, self.limit, self.tests_limit = arguments.simulated, arguments.limit, arguments.tests_limit
        self.toolkit, source = Toolkit(), find_syncline()
        self.libraries = str(SIMULATED_LIBRARIES) if self.simulated else self.toolkit.library_path()
        names = read(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]).splitlines()
        if self.simulated and not SIMULATED_LIBRARIES.is_dir():
            raise CannotCheck(f"{SIMULATED_LIBRARIES} is missing: run scripts/build")
        if not names and not self.simulated:
            raise CannotCheck("nvidia-smi names no GPU. --simulated tries this script on the simulated ones")
        self.gpu = "Simulated" if self.simulated else names[0]
        self.label = re.sub(r"[^a-z0-9]+", "-", self.gpu.lower()).strip("-")
        self.out, self.build = arguments.out.resolve(), arguments.scratch.resolve()
        self.out.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(self.build, ignore_errors=True)
        for part in ("bin", "lib"):
            shutil.copytree(source / part, self.build / part, ignore=None if part == "bin" else shutil.ignore_patterns("cmake"))
        self.machine = describe_machine(self.toolkit, self.gpu)
        self.parts, self.problems, self.counts = {}, [], (0, 0, 0)

    def run(self):
        self.compile()
        for title, part in (("Facts that differ from the simulation", self.facts), ("Tests", self.tests), ("PyTorch", self.torch),
                            ("What removing a wait brings", self.prices)):
            spent = time.monotonic() - self.begin
            self.parts[title] = part() if spent < self.limit else [f"Not run: {spent:.0f} s had passed (--limit)."]
            self.write()
        passed, failed, skipped = self.counts
        print(f"results are in {self.out}\n{passed} passed, {failed + len(self.problems)} failed, {skipped} skipped")
        return 1 if failed or self.problems else 0

    def write(self):
        parts = dict(self.parts)
        if self.problems:
            parts["Problems"] = ["```", *self.problems, "```"]
        (self.out / f"gpu-check.{self.label}.md").write_text(report(self.machine, parts, time.monotonic() - self.begin, self.gpu))

    def compile(self):
        if self.simulated:
            (self.build / "simulated_gpu").mkdir()
            (self.build / "simulated_gpu/programs").symlink_to(ROOT / "build/release/simulated_gpu/programs")
            shutil.copy2(ROOT / "build/release/tests/simgpu_facts", self.build / "facts")
        else:
            self.problems += compile_all(self.toolkit, self.build)
        for problem in self.problems:
            print(problem, flush=True)

    def facts(self):
        environment = {**os.environ, "LD_LIBRARY_PATH": self.libraries, **(SIMULATED_FACTS if self.simulated else {})}
        facts = read([self.build / "facts"], env=environment) if (self.build / "facts").exists() else ""
        if not facts:
            self.problems.append("the facts program said nothing")
        (self.out / f"facts.{self.label}.txt").write_text(facts + "\n")
        rows = compare_facts(facts_of(facts), facts_of((SIMULATED / "facts/facts.simulated.txt").read_text()))
        print(f"{len(facts_of(facts))} facts, {len(rows)} differ from the simulation", flush=True)
        return ["| fact | here | simulation |", "|---|---|---|", *(f"| {' | '.join(row)} |" for row in rows)] if rows else ["None."]

    def tests(self):
        text, self.counts = run_tests(self.build, self.libraries, self.tests_limit)
        return ["```", text.strip(), "```"]

    def torch(self):
        lines, problems = check_torch(self.build / "bin/syncline", self.build, self.simulated)
        self.problems += problems
        return lines

    def prices(self):
        return check_prices(self.build / "bin/syncline", self.build, self.simulated)


# As tests/simulated_gpu/tests/facts_compare.py sets them: on a GPU the kernels take that long by themselves.
SIMULATED_FACTS = {"SIMGPU_DEVICES": "1", "SIMGPU_DURATIONS": "*facts_busy*=20ms,*facts_long*=300ms,*=20us"}
SIMULATED_LIBRARIES = ROOT / "build/release/simulated_gpu/lib"
REAL_SIZE = 4096  # of the layers: a step takes a GPU some milliseconds
SIMULATED_PYTHON = ROOT / "build/venv-torch-cuda/bin/python"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, prog="scripts/gpu_check")
    parser.add_argument("--pack", action="store_true", help="make the package on a build machine, and end")
    parser.add_argument("--simulated", action="store_true", help="try the script on the simulated GPUs of build/release")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs/results", help="where the results go [docs/results]")
    parser.add_argument("--limit", type=int, default=420, metavar="S", help="begin no further part after S seconds [420]")
    parser.add_argument("--tests-limit", type=int, default=180, metavar="S", help="stop the end-to-end tests after S seconds [180]")
    parser.add_argument("--scratch", type=pathlib.Path, default=ROOT / "build/gpu_check_run", help="where it works [build/gpu_check_run]")
    arguments = parser.parse_args()
    try:
        return pack() or 0 if arguments.pack else Check(arguments).run()
    except CannotCheck as reason:
        print(f"gpu_check: {reason}.", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
