#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that exist twice: with one thing that costs time, and truly without it. What removing it brings is measured by running both.

    twins.py [NAME...]     measures the cases whose name contains one of the words (all), on build/release, and prints a line for each

`measure_twin(t, twin)` for each of TWINS; `command(t, twin)` and `environment(t, twin)` to record the one that loses time
(twin_prices.py)."""

import functools
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import namedtuple

from syncline_test import ROOT, Test

# `removed`: what the other one is without. "line": the wait at the line that `marked_line` names; "class": the waits of the class, at
# that line and others; "range": the host's time in the range; "order": no wait of the host, but one of the device, which that line
# causes; "launches": the host's time for launches in the range; "function": what stands in the stream at that line.
# `wait_class`: of the waits that are gone (docs/waits.md), None: none of the host. `range`: the NVTX range that has it, `step` or one
# in it; that of backward_hook is open on another thread than the one that waits.
Twin = namedtuple("Twin", "name language removed wait_class range durations")


class Measured(namedtuple("Measured", "with_ms without_ms spread_ms steps")):
    @property
    def gain_ms(self):
        return self.with_ms - self.without_ms

    def is_steady(self):
        """Whether the runs differ by less than 5 % of the gain or 2 % of a step."""
        return self.spread_ms < max(0.05 * abs(self.gain_ms), 0.02 * self.with_ms / self.steps)


CUDA = "*Forward*=600us,*Backward*=800us,*Update*=100us,*Statistics*=1800us,*=50us"
# Twice what the host needs for a step: on a busy machine too the device is what limits the steps that do not wait.
TORCH = "*gemm*=600us,*=30us"
# Kinds of findings of what the host did while the GPU had nothing to do (docs/report.md).
HOST_WORK = ("host_work", "data_work", "slow_launch")
PROGRAMS = {"cuda": "tests/simulated_gpu/programs/twins.cu", "torch": "tests/torch_programs/twins.py"}

TWINS = (
    Twin("stream_sync", "cuda", "line", "stream", "step", CUDA),
    Twin("device_sync", "cuda", "line", "device", "step", CUDA),
    Twin("event_sync", "cuda", "line", "event", "step", CUDA),
    Twin("query_spin", "cuda", "class", "query_spin", "step", CUDA),
    Twin("pageable_upload", "cuda", "class", "pageable_copy", "step", CUDA),
    Twin("read_back", "cuda", "line", "sync_copy", "step", CUDA),
    Twin("allocation", "cuda", "class", "allocation", "step", CUDA),
    Twin("legacy_stream", "cuda", "order", None, "step", CUDA),
    Twin("two_threads", "cuda", "line", "stream", "step", CUDA),
    Twin("busy_anyway", "cuda", "line", "event", "step", CUDA),
    Twin("host_bound", "cuda", "line", "stream", "step", CUDA),
    Twin("upload_blocks", "cuda", "order", None, "upload", CUDA),
    Twin("late_loading", "cuda", "range", None, "load", CUDA),
    Twin("host_function", "cuda", "function", None, "step", CUDA),
    Twin("wait_behind_function", "cuda", "line", "stream", "step", CUDA),
    Twin("item", "torch", "line", "legacy_stream", "step", TORCH),
    Twin("items", "torch", "line", "legacy_stream", "step", TORCH),
    Twin("loss_cpu", "torch", "line", "pageable_copy", "step", TORCH),
    Twin("cuda_sync", "torch", "class", "device", "step", TORCH),
    Twin("mask", "torch", "line", "legacy_stream", "step", TORCH),
    Twin("print_loss", "torch", "line", "legacy_stream", "step", TORCH),
    Twin("backward_hook", "torch", "line", "legacy_stream", "step", TORCH),
    Twin("pageable_batch", "torch", "line", "pageable_copy", "step", TORCH),
    Twin("pageable_large", "torch", "line", "pageable_copy", "step", TORCH),
    Twin("launch_bound", "torch", "launches", None, "infer", "*=1us"),
    Twin("late_batch", "torch", "range", None, "load", TORCH),
)


def find(name):
    [twin] = [twin for twin in TWINS if twin.name == name]
    return twin


def command(t, twin, without=False):
    program = [t.cuda_program("twins")] if twin.language == "cuda" else t.torch_program("twins")
    return [*program, twin.name, *(["--without"] if without else [])]


def environment(t, twin):
    return {**t.gpu_environment(), "SIMGPU_DURATIONS": twin.durations, "OMP_NUM_THREADS": "1"}


def marked_line(path, kind, name):
    """The file and the number of its one line that ends with `KIND: NAME` as a comment."""
    path = os.path.join(ROOT, path)
    with open(path) as file:
        [number] = [number for number, line in enumerate(file, 1) if re.search(rf"(#|//) {kind}: {name}$", line)]
    return path, number


def line_of(twin):
    return marked_line(PROGRAMS[twin.language], "twin", twin.name)


def run(t, twin, without=False, env=None, before=()):
    env = {**environment(t, twin), **(env or {})}
    done = t.past_exit_race(lambda: t.run([*before, *command(t, twin, without)], env=env), env)
    t.equal(done.ending, "status 0", f"{twin.name}: {done}")
    return done


def time_of(t, done):
    """Number of steps, and the milliseconds that all of them took."""
    match = re.search(rb"^steps: (\d+) total_ms: ([\d.]+)$", done.out, re.MULTILINE)
    t.check(match, f"no time: {done}")
    return int(match[1]), float(match[2])


def measure_twin(t, twin, runs=5, tries=3):
    """Medians of bare runs of each, taken again, `tries` times at most, while the machine is too busy for steady ones: those that
    spread least."""
    found = []
    while len(found) < tries and not (found and found[-1].is_steady()):
        found.append(measure_once(t, twin, runs))
    return min(found, key=lambda measured: measured.spread_ms)


@functools.cache
def ahead_of_others():
    """What lets a program run before all that else runs on the machine, a compiler beside it say; nothing where that is not allowed."""
    words = ["chrt", "-r", "1"]
    allowed = shutil.which("chrt") and subprocess.run([*words, "true"], stderr=subprocess.DEVNULL).returncode == 0
    return words if allowed else []


def measure_once(t, twin, runs):
    """Both alternate, so that a machine that becomes busy is so for both. `spread_ms`: the larger one of the ranges of each that hold
    all runs but the least and the most."""
    took, first = ([], []), ahead_of_others()
    for _ in range(runs):
        for without in (False, True):
            steps, ms = time_of(t, run(t, twin, without, before=first))
            took[without].append(ms)
    inner = [sorted(values)[1:-1] or values for values in took]
    spread = max(values[-1] - values[0] for values in inner)
    return Measured(statistics.median(took[False]), statistics.median(took[True]), spread, steps)


def main():
    words = sys.argv[1:] or [""]
    with tempfile.TemporaryDirectory() as directory:
        t = Test("launcher", os.path.join(ROOT, "build", "release"), directory)
        print(f"{'case':16} {'with':>8} {'without':>8} {'gain':>8} {'spread':>8} ms")
        for twin in TWINS:
            if any(word in twin.name for word in words):
                took = measure_twin(t, twin)
                numbers = (took.with_ms, took.without_ms, took.gain_ms, took.spread_ms)
                print(f"{twin.name:16}", *(f"{number:8.2f}" for number in numbers), "" if took.is_steady() else "not steady", flush=True)


if __name__ == "__main__":
    main()
