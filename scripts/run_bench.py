#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what Syncline costs and prints a table: what, measured, target. `scripts/bench soak` is another thing: see its --help.

Figures are ratios within one run, per-thread CPU time and instruction counts, so that a busy machine does not change them
much; nanoseconds and events per second are this machine's. Nothing here is a test: the exit status tells only whether
everything could be measured.
"""

import argparse
import datetime
import itertools
import json
import os
import pathlib
import platform
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import bench_answers
import bench_findings
import bench_packages
import bench_prices
import bench_samples
import bench_torch

ROOT = pathlib.Path(__file__).resolve().parent.parent
STARTS = 200
IDLE_SECONDS = 8
LAUNCH_ROUNDS = "400"
STACK_ROUNDS = 5
STACKS = {"none": ("--stacks", "none"), "Python's frames": ("--no-stack-native",), "native ones too": ()}
BEFORE_ROUNDS = 5
CALLGRIND_PAIRS = (20_000, 40_000)


def children_of(pid):
    """(name, pid) of each child."""
    try:
        pids = [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
        return [(pathlib.Path(f"/proc/{child}/comm").read_text().strip(), child) for child in pids]
    except OSError:
        return []


def most_resident(pid):
    """In KiB, since the process began."""
    try:
        return int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text()).group(1))
    except (OSError, AttributeError):
        return 0


class Bench:
    def __init__(self, arguments, scratch):
        self.build = pathlib.Path(arguments.build).resolve()
        self.syncline = str(self.build / "bin/syncline")
        self.pair_bench = str(self.build / "bench/pair_bench")
        self.scratch = pathlib.Path(scratch)
        self.ranges = arguments.ranges
        self.before = pathlib.Path(arguments.before).resolve() if arguments.before else None
        self.rows = []   # (what, measured, unit, target text)
        self.tables = []  # (title, names of the columns, lines of texts), beside the rows
        self.failures = []

    def row(self, what, measured, unit, target=""):
        self.rows.append((what, measured, unit, target))
        shown = f"{measured:,.3f}" if isinstance(measured, float) and abs(measured) < 100 else f"{measured:,.0f}"
        print(f"{what:52} {shown:>14} {unit:10} {target}", flush=True)

    def recorded(self, *command, options=()):
        """The command line that records `command` into a folder of its own."""
        out = self.scratch / f"run-{len(list(self.scratch.iterdir()))}"
        return [self.syncline, "-o", str(out), "--quiet", *options, "--", *command], out

    def read_json(self, command, **more):
        return json.loads(subprocess.run(command, capture_output=True, text=True, check=True, **more).stdout)

    def pairs(self):
        bare = self.read_json([self.pair_bench, "ratio"])
        for consumer in ("launcher", "process"):
            command, out = self.recorded(self.pair_bench, "ratio", options=["--consumer", consumer])
            found = self.read_json(command)
            where = f"consumer in the {consumer}"
            self.row(f"push+pop pair to two time stamps, {where}", found["pair_to_stamps"], "x", "at most 1.10")
            self.row(f"two threads to one, {where}", found["two_threads_to_one"], "x", "at most 1.05")
            self.row(f"push+pop pair, {where}", found["pair_ns"], "ns CPU")
            self.row(f"  records lost in that run, {where}", self.losses(out), "", "0, or the ratio means nothing")
        self.row("two time stamps", bare["two_stamps_ns"], "ns CPU")
        self.row("push+pop pair, not recorded", bare["pair_ns"], "ns CPU")

    def losses(self, out):
        total = 0
        for path in (out / "run").glob("rank-*.json"):
            stack = [json.loads(path.read_text()).get("losses", {})]
            while stack:
                item = stack.pop()
                if isinstance(item, dict):
                    stack.extend(item.values())
                elif isinstance(item, list):
                    stack.extend(item)
                elif isinstance(item, (int, float)):
                    total += item
        return total

    def instructions(self, recorded):
        """Instructions per pair: the difference of two lengths, so that start and end cancel."""
        counts = []
        for pairs in CALLGRIND_PAIRS:
            command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={self.scratch}/callgrind.out",
                       self.pair_bench, "count", str(pairs)]
            if recorded:
                command, _ = self.recorded(*command)
            said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
            counts.append(int(re.findall(r"Collected\s*:\s*(\d+)", said)[-1]))
        return (counts[1] - counts[0]) / (CALLGRIND_PAIRS[1] - CALLGRIND_PAIRS[0])

    def callgrind(self):
        if not shutil.which("valgrind"):
            raise RuntimeError("valgrind is not installed")
        bare, recorded = self.instructions(False), self.instructions(True)
        self.row("instructions of a recorded push+pop pair", recorded, "", "at most 130")
        self.row("instructions of the pair when not recorded", bare, "")

    def start_up(self):
        """CPU time of a process that records nothing, with and without us, in turn, below a launcher."""
        command, _ = self.recorded(sys.executable, __file__, "--measure-starts")
        found = self.read_json(command)
        self.row("start of a process that records nothing, more CPU", found["cpu_ms"], "ms", "at most 0.5")
        self.row("  the same, time on the wall", found["wall_ms"], "ms")
        self.row("  the same, of a process that has a rank, CPU", found["rank_cpu_ms"], "ms", "at most 0.5")

    def idle(self):
        command, _ = self.recorded(self.pair_bench, "idle", str(IDLE_SECONDS), options=["--consumer", "launcher"])
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        time.sleep(1.5)
        begin, at = cpu_of(process.pid), time.monotonic()
        time.sleep(IDLE_SECONDS - 2.5)
        used, passed = cpu_of(process.pid) - begin, time.monotonic() - at
        process.wait()
        self.row("idle consumer in the launcher", 100 * used / passed, "% core", "below 0.5")
        command, _ = self.recorded(self.pair_bench, "idle", str(IDLE_SECONDS), options=["--consumer", "process"])
        found = self.read_json(command)
        self.row("idle consumer in the process", 100 * found["process_cpu_s"] / found["seconds"], "% core", "below 0.5")

    def writers(self):
        """From a spool to a trace, CPU time of one thread; and whether memory grows with the trace."""
        program = str(self.build / "bench/writer_bench")
        peaks = []
        for ranges, repeats in ((self.ranges, 3), (self.ranges * 10, 1)):
            command = [program, "--ranges", str(ranges), "--repeats", str(repeats), "--dir", str(self.scratch)]
            said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            found = re.findall(r"^(.+?)\s+([\d.]+) M events/s.*ratio\s+([\d.]+).*peak (\d+) MiB$", said, re.M)
            peaks.append(int(found[0][3]))
            for label, speed, ratio, _ in found if repeats > 1 else []:
                packed = label.endswith(".gz")
                self.row(f"writer: {label}", float(speed), "M events/s", "at least 2.5" if packed else "at least 10")
                if packed:
                    self.row(f"  ratio, {label}", float(ratio), "x", "at least 8")
        self.row(f"writer: peak memory, {self.ranges:,} ranges", peaks[0], "MiB")
        self.row(f"writer: peak memory, {10 * self.ranges:,} ranges", peaks[1], "MiB", "as before")
        if self.before:
            self.writers_before()

    def findings(self):
        bench_findings.measure(self)

    def writers_before(self):
        """The writer of another build and this one in turn: medians of the ratios of speed and size."""
        ratios = {}
        for _ in range(BEFORE_ROUNDS):
            found = [{label: (float(speed), float(size)) for label, speed, size in
                      re.findall(r"^(.+?)\s+([\d.]+) M events/s.*?([\d.]+) B/event(?: in the file)?\s+peak", said, re.M)}
                     for said in (subprocess.run([str(build / "bench/writer_bench"), "--ranges", str(self.ranges), "--repeats", "2",
                                                  "--dir", str(self.scratch)], capture_output=True, text=True, check=True).stdout
                                  for build in (self.before, self.build))]
            for label in found[0].keys() & found[1].keys():
                ratios.setdefault(label, []).append([now / then for then, now in zip(found[0][label], found[1][label])])
        for label, found in sorted(ratios.items()):
            speed, size = (statistics.median(column) for column in zip(*found))
            self.row(f"  speed to the build before, {label}", speed, "x", "at least 0.97")
            self.row(f"  size to the build before, {label}", size, "x", "at most 1.03")

    def cuda(self):
        """Our own code for each launch; and what a launch costs a program on the simulated GPUs, CUPTI's part included."""
        found = self.read_json([str(self.build / "bench/cuda_cost_bench")])
        self.row("CUDA: our code for a launch's two callbacks", found["call_pair_ns"], "ns CPU", "at most 120")
        self.row("CUDA: our code for a kernel's record", found["kernel_record_ns"], "ns CPU", "at most 150")
        self.row("  both, in a region that asks for its device time", found["followed_ns"], "ns CPU more", "at most 100")
        program = str(self.build / "simulated_gpu/programs/launch_rate")
        command, out = self.recorded(program, LAUNCH_ROUNDS)
        library_path = {**os.environ, "LD_LIBRARY_PATH": str(self.build / "simulated_gpu/lib")}
        for label, line in (("untraced", [program, LAUNCH_ROUNDS]), ("recorded", command)):
            said = subprocess.run(line, capture_output=True, text=True, check=True, env=library_path).stdout
            rate = float(re.search(r"launches_per_cpu_second=(\d+)", said).group(1))
            self.row(f"Simulated: launches, {label}", rate / 1e3, "k/CPU s", "at least 300" if label == "untraced" else "")
        self.row("  records lost in that run", self.losses(out), "", "0")

    def level_zero(self):
        """Our own code for Level Zero's calls over a driver that answers at once; its time for a signaled event is in the figures."""
        found = self.read_json([str(self.build / "bench/level_zero_cost_bench")])
        self.row("Level Zero: a launch with the program's event, and the reading of its last one", found["launch_and_read_ns"], "ns CPU")
        self.row("Level Zero: a launch with an event of ours, and its reading", found["own_event_launch_and_read_ns"], "ns CPU")
        self.row("Level Zero: a query of an event", found["query_ns"], "ns CPU")
        self.row("Level Zero: a call that is not recorded", found["unrecorded_call_ns"], "ns CPU", "at most 10")
        self.level_zero_calls()

    def level_zero_calls(self):
        """The same through the real loader, on the simulated driver, beside what the loader's own tracing costs."""
        program = str(self.build / "bench/level_zero_calls_bench")
        environment = {**os.environ, "LD_LIBRARY_PATH": str(self.build / "simulated_gpu/lib")}
        stamps = self.read_json([self.pair_bench, "ratio"])["two_stamps_ns"]
        command, out = self.recorded(program, options=["--force"])
        lines = {"bare": [program], "Syncline": command, "the loader's tracing layer on": [program, "layer"],
                 "a tracer that hears the call's begin and end": [program, "tracer"]}
        rounds = [{label: self.read_json(line, env=environment) for label, line in lines.items()} for _ in range(5)]  # in turn
        found = {label: {key: min(one[label][key] for one in rounds) for key in rounds[0][label]} for label in lines}
        for key, what, target in (("query_ns", "a query of an event, recorded", f"at most {30 + stamps:.0f}: 30 and two time stamps"),
                                  ("set_group_size_ns", "a call that is not recorded", "at most 10")):
            bare = found["bare"][key]
            self.row(f"Simulated: Level Zero through its loader, {what}: bare", bare, "ns CPU")
            for label in list(lines)[1:]:
                self.row(f"  {label}", found[label][key] - bare, "ns more", target if label == "Syncline" else "")
        self.row("  records lost in that run", self.losses(out), "", "0")

    def stacks(self):
        """What the stack of a call costs, by calls without and with it in turn, on the simulated GPU."""
        program = str(ROOT / "tests/bench/stack_calls.py")
        environment = {**os.environ, "LD_LIBRARY_PATH": str(self.build / "simulated_gpu/lib")}
        for (version, python), depth in itertools.product(self.pythons("3.11", "3.13"), (10, 30, 100)):
            least = {}
            for _ in range(STACK_ROUNDS):
                for kind, options in STACKS.items():
                    command, _ = self.recorded(python, program, str(depth), options=options)
                    for key, ns in self.read_json(command, env=environment).items():
                        least[kind, key] = min(ns, least.get((kind, key), ns))
            for key, target in (("warm", "300"), ("first", "3000")):
                for kind in list(STACKS)[1:]:
                    cost = least[kind, key] - least["none", key]
                    self.row(f"Python {version}, {kind}, {depth} deep, {key}", cost, "ns", target if depth == 30 else "")

    def pythons(self, *versions):
        """(version, path) of those that are installed."""
        for version in versions:
            found = sorted(pathlib.Path.home().glob(f".pyenv/versions/{version}.*/bin/python3"))
            python = str(found[-1]) if found else shutil.which(f"python{version}")
            if python:
                yield version, python
            else:
                print(f"left out, not installed: Python {version}")

    def python_ranges(self):
        """What --python-ranges costs a call of a function that is chosen, and of one that is not, by runs without and with it in turn."""
        program = str(ROOT / "tests/bench/python_calls.py")
        names = {"chosen": ("a call of a chosen function", "60"), "other": ("a call of another function", "0"),
                 "passed": ("an exception that leaves one function", ""), "first": ("the first call of another function", "2000")}
        for version, python in self.pythons("3.8", "3.10", "3.11", "3.12", "3.13"):
            bare, least = {}, {}
            for _ in range(STACK_ROUNDS):
                command, out = self.recorded(python, program, options=("--python-ranges", "__main__.chosen", "--memory-process", "2G"))
                for into, line in ((bare, [python, program]), (least, command)):
                    for key, ns in self.read_json(line).items():
                        into[key] = min(ns, into.get(key, ns))
            for key, (what, target) in names.items():
                self.row(f"Python {version}, {what}: bare", bare[key], "ns")
                self.row("  with --python-ranges", least[key] - bare[key], "ns more", target)
            if lost := self.losses(out):
                self.row("  records lost in that run", lost, "", "0, or the figure means nothing")
            self.python_details(version, python)

    def python_details(self, version, python):
        """What labels, signatures and the ranges of whole calls of coroutines cost, over runs without Syncline."""
        program = str(ROOT / "tests/bench/python_details.py")
        chosen = "__main__.labelled(request_id, batch.size),__main__.signed,__main__.awaited,__main__.waiting"
        names = {"labelled": ("a call with two labels, each a new one", "300"), "same_label": ("with the same labels each time", ""),
                 "signed": ("a call with a signature that is known", "2000"), "awaited": ("a call of a coroutine that does not wait", ""),
                 "waiting": ("a call of a coroutine that waits once", "")}
        command, out = self.recorded(python, program, options=("--signatures", "--python-ranges", chosen, "--memory-process", "2G"))
        bare, found = self.read_json([python, program]), self.read_json(command)
        for key, (what, target) in names.items():
            self.row(f"Python {version}, {what}", found[key] - bare[key], "ns more", target)
        if lost := self.losses(out):
            self.row("  records lost in that run", lost, "", "0, or the figure means nothing")

    def gate(self):
        """What a pair costs while it is not recorded, over an injection that does nothing; and a CUDA launch."""
        empty = {**os.environ, "NVTX_INJECTION64_PATH": str(self.build / "bench/libempty_injection.so")}
        bare = self.read_json([self.pair_bench, "steps"])["pair_ns"]
        least = self.read_json([self.pair_bench, "steps"], env=empty)["pair_ns"]
        self.row("push+pop pair, no injection", bare, "ns CPU")
        self.row("push+pop pair, an injection that does nothing", least, "ns CPU")
        step = ["--step-range", "step"]
        for what, options, target in (
                ("closed, no stage named", ["--delay", "1000s"], "at most 4 over the empty one"),
                ("closed, names looked up", ["--stages", "none*,of?them"], "at most 12 over the empty one"),
                ("open", ["--duration", "1000s"], ""),
                ("open, every step a stage", ["--stages", "step"], ""),
                ("open in every second step", [*step, "--schedule", "wait=1 active=1"], ""),
                ("no gate", [], "")):
            command, out = self.recorded(self.pair_bench, "steps", options=options)
            pair = self.read_json(command)["pair_ns"]
            self.row(f"push+pop pair, {what}", pair - least, "ns more", target)
            if lost := self.losses(out):
                self.row("  records lost in that run", lost, "", "0, or the figure means nothing")
        found = self.read_json([str(self.build / "bench/cuda_cost_bench")])
        self.row("CUDA: our code for a launch's two callbacks, closed", found["closed_call_pair_ns"], "ns CPU", "at most 10")

    def torch(self):
        bench_torch.measure(self)

    def memory(self):
        """What a process takes while 1 and 10 million of its kernels are recorded, and Syncline while it writes their trace."""
        program = str(self.build / "simulated_gpu/programs/launch_rate")
        library_path = {**os.environ, "LD_LIBRARY_PATH": str(self.build / "simulated_gpu/lib")}
        for millions in (1, 10):
            command, out = self.recorded(program, str(2000 * millions))
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=library_path)
            most = {}
            while process.poll() is None:
                for name, pid in (("syncline", process.pid), *children_of(process.pid)):
                    most[name] = max(most.get(name, 0), most_resident(pid))
                time.sleep(0.05)
            self.row(f"Simulated: memory of a process, {millions} M kernels recorded", most.get("launch_rate", 0) / 1024, "MiB")
            self.row("  of Syncline, which writes their trace afterwards", most["syncline"] / 1024, "MiB")
            self.row("  records lost in that run", self.losses(out), "", "0")

    def recovery(self):
        """Launcher and program killed at once in the middle of recording: what is left becomes a trace."""
        command, out = self.recorded(self.pair_bench, "ratio")
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)
        time.sleep(0.8)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        begin = time.monotonic()
        subprocess.run([self.syncline, "recover", str(out)], check=True, capture_output=True)
        passed = time.monotonic() - begin
        self.row("ranges recovered after launcher and program were killed", self.count_of(out), "ranges", "more than 0")
        self.row("  time that it took", 1000 * passed, "ms")

    def report(self):
        """`syncline report` of a job of 1,000 ranks: CPU time is told because a busy machine does not change it much."""
        job = self.scratch / "job"
        subprocess.run([str(self.build / "bench/many_findings"), str(job), "1000"], check=True)
        with open(os.devnull, "w", encoding="utf-8") as nowhere:
            for what, options in (("with its files", []), ("text only", ["--no-files"])):
                begin = time.monotonic()
                pid = os.posix_spawn(self.syncline, [self.syncline, "report", str(job), *options], os.environ,
                                     file_actions=[(os.POSIX_SPAWN_DUP2, nowhere.fileno(), 1)])
                _, status, used = os.wait4(pid, 0)
                if status != 0:
                    raise RuntimeError(f"syncline report: status {status}")
                self.row(f"report of 1,000 ranks, {what}", time.monotonic() - begin, "s", "at most 2 on two free cores")
                self.row("  the same, CPU", used.ru_utime + used.ru_stime, "s")
                self.row("  its memory", used.ru_maxrss / 1024, "MiB", "at most 300")

    def answers(self):
        bench_answers.measure(self)

    def prices(self):
        bench_prices.measure(self)

    def samples(self):
        bench_samples.measure(self)

    def packages(self):
        bench_packages.measure(self, pathlib.Path(self.syncline).parent.parent, pathlib.Path(self.scratch) / "packages")

    def count_of(self, out):
        said = subprocess.run(f"cat {out}/rank-*.trace.json.gz | gzip -dc | grep -c '\"cat\": *\"user_annotation\"'",
                              shell=True, capture_output=True, text=True, check=False)
        return int(said.stdout or 0)

    def run(self, wanted):
        for name in wanted:
            try:
                getattr(self, name)()
            except (RuntimeError, subprocess.CalledProcessError, KeyError, ValueError, OSError, IndexError) as error:
                detail = getattr(error, "stderr", None) or ""
                self.failures.append(name)
                print(f"{name}: could not be measured: {error} {detail[-500:]}", flush=True)


def cpu_of(pid):
    """CPU seconds of a process without its children, from /proc: schedstat has nanoseconds per thread."""
    total = 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        total += int((task / "schedstat").read_text().split()[0])
    return total * 1e-9


def one_start(environment):
    """(CPU ms, wall ms) of one /bin/true."""
    begin = time.monotonic()
    pid = os.posix_spawn("/bin/true", ["true"], environment)
    _, _, used = os.wait4(pid, 0)
    wall = time.monotonic() - begin
    return 1000 * (used.ru_utime + used.ru_stime), 1000 * wall


def measure_starts():
    with_us = dict(os.environ)
    without = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    ranked = {**with_us, "OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "1"}
    found = {"with": [], "without": [], "ranked": []}
    if "LD_PRELOAD" not in with_us:
        sys.exit("the launcher set no LD_PRELOAD")
    for _ in range(STARTS):
        for name, environment in (("with", with_us), ("without", without), ("ranked", ranked)):
            found[name].append(one_start(environment))
    median = {name: [statistics.median(column) for column in zip(*values)] for name, values in found.items()}
    print(json.dumps({"cpu_ms": median["with"][0] - median["without"][0],
                      "wall_ms": median["with"][1] - median["without"][1],
                      "rank_cpu_ms": median["ranked"][0] - median["without"][0]}))


def machine():
    model = re.search(r"model name\s*:\s*(.+)", pathlib.Path("/proc/cpuinfo").read_text())
    return f"{model.group(1) if model else platform.machine()}, {os.cpu_count()} CPUs, Linux {platform.release()}"


def write_results(bench, folder, wanted):
    """A measurement that is made alone has a page of its own."""
    name = wanted[0] if len(wanted) == 1 else "bench"
    folder.mkdir(parents=True, exist_ok=True)
    date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    commit = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True,
                            check=False).stdout.strip()
    lines = [f"# scripts/bench{'' if name == 'bench' else ' ' + name}, {date}", "", f"{machine()}; commit {commit or 'unknown'}.", "",
             "| what | measured | | target |", "|---|---|---|---|"]
    lines += [f"| {what.strip()} | {measured:,.3f} | {unit} | {target} |" for what, measured, unit, target in bench.rows]
    for title, head, rows in bench.tables:
        lines += ["", title, "", *("| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows))]
    path = folder / f"{name}-{date}.md"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"written to {path.relative_to(ROOT)}")


SOAKS = {"soak": ROOT / "tests/bench/soak.py", "faults": ROOT / "tests/bench/fault_soak.py"}
MEASUREMENTS = ["pairs", "callgrind", "start_up", "idle", "writers", "findings", "cuda", "level_zero", "stacks", "python_ranges", "gate", "samples", "torch", "memory", "recovery", "report", "answers", "prices", "packages"]


def main():
    if sys.argv[1:2] and sys.argv[1] in SOAKS:
        os.execv(sys.executable, [sys.executable, str(SOAKS[sys.argv[1]]), *sys.argv[2:]])
    parser = argparse.ArgumentParser(description=__doc__, prog="scripts/bench")
    parser.add_argument("measurement", nargs="*", help=f"some of: {' '.join(MEASUREMENTS)} [all]; or first and alone: soak, faults")
    parser.add_argument("--build", default=str(ROOT / "build/release"))
    parser.add_argument("--before", metavar="BUILD", help="another build, whose writer is run in turn with this one's")
    parser.add_argument("--ranges", type=int, default=1_000_000, help="that the writers write, and ten times as many [1,000,000]")
    parser.add_argument("--json", metavar="FILE", help="also write the figures as JSON")
    parser.add_argument("--save", action="store_true", help="also write the table to docs/results/")
    parser.add_argument("--measure-starts", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure_starts:
        return measure_starts()
    unknown = set(arguments.measurement) - set(MEASUREMENTS)
    if unknown:
        parser.error(f"unknown measurement: {' '.join(sorted(unknown))}")
    print(machine())
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(arguments, scratch)
        bench.run(arguments.measurement or MEASUREMENTS)
    if arguments.json:
        rows = [dict(zip(("what", "measured", "unit", "target"), row)) for row in bench.rows]
        pathlib.Path(arguments.json).write_text(json.dumps({"machine": machine(), "rows": rows}, indent=1) + "\n")
    if arguments.save:
        write_results(bench, ROOT / "docs/results", arguments.measurement)
    return 1 if bench.failures else 0


if __name__ == "__main__":
    sys.exit(main())
