# SPDX-License-Identifier: Apache-2.0
"""What the packages of dist/ cost: size, time to install, and the launcher of the portable build beside that of the release build."""

import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROUNDS = 7
RECORDED_SECONDS = 0.4


def package(pattern):
    found = list((ROOT / "dist").glob(pattern))
    if len(found) != 1:
        raise RuntimeError(f"dist/{pattern} is not there: run scripts/package")
    return found[0]


def passed(*command):
    """(wall seconds, CPU seconds) of a command."""
    begin, before = time.monotonic(), os.times()
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return time.monotonic() - begin, used


def install(wheel, folder):
    """A fresh environment with the wheel in it, and the median time of installing."""
    subprocess.run(["/usr/bin/python3", "-m", "venv", str(folder)], check=True)
    pip = [folder / "bin/pip", "--disable-pip-version-check", "-q"]
    times = []
    for _ in range(ROUNDS):
        times.append(passed(*pip, "install", "--no-index", wheel)[0])
        subprocess.run([str(word) for word in [*pip, "uninstall", "-y", "syncline"]], check=True)
    passed(*pip, "install", "--no-index", wheel)
    return statistics.median(times)


def record_and_kill(launcher, program, out):
    """A run whose launcher and program were killed: its spools are still there."""
    process = subprocess.Popen([str(launcher), "-q", "-o", str(out), "--", str(program), "100000000", "1", "0"],
                               stdout=subprocess.DEVNULL, start_new_session=True)
    time.sleep(RECORDED_SECONDS)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    time.sleep(1)  # the program, which is not our child, gives its memory back


def formatting(launchers, run, scratch):
    """Median CPU seconds of each launcher for the trace of the same spools, in turn."""
    found = {name: [] for name in launchers}
    for _ in range(ROUNDS):
        for name, launcher in launchers.items():
            copy = scratch / "copy"
            shutil.copytree(run, copy, symlinks=True)
            found[name].append(passed(launcher, "recover", "-q", copy)[1])
            shutil.rmtree(copy)
    return {name: statistics.median(values) for name, values in found.items()}


def measure(bench, build, scratch):
    scratch.mkdir()
    wheel, venv = package("syncline-*.whl"), scratch / "venv"
    bench.row("wheel", wheel.stat().st_size / 1e6, "MB", "at most 3")
    bench.row("  installed without a network", install(wheel, venv), "s", "under 2")
    launchers = {"package": venv / "bin/syncline", "build": build / "bin/syncline"}
    run = scratch / "run"
    record_and_kill(launchers["package"], build / "tests/victims/fast", run)
    passed(launchers["package"], "recover", "-q", "--keep-spool", run)  # what is still in memory comes into the spool
    for name in ("rank-0.trace.json.gz", "run/rank-0.json"):
        (run / name).unlink()
    seconds = formatting(launchers, run, scratch)
    bench.row("CPU of writing a trace, package / release build", seconds["package"] / seconds["build"], "x")
    starts = {name: statistics.median(passed(launcher, "--version")[0] for _ in range(50)) for name, launcher in launchers.items()}
    bench.row("`syncline --version`, package", 1000 * starts["package"], "ms")
    bench.row("`syncline --version`, release build", 1000 * starts["build"], "ms")
