# SPDX-License-Identifier: Apache-2.0
"""--stage-lines: a line for each call of a stage while the program runs, with the time that the trace has; what has no line is counted."""

import os
import re
import shutil
import sys
import time

from chrome_trace import Trace
from syncline_test import ROOT

LINE = re.compile(r"syncline: stage (\w+): ([\d.]+) (ns|us|ms|s) \((rank \d+, )?live (\d+)\)\n")
PROCESSES = 80
UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


def test(t):
    while_it_runs(t)
    at_most(t)
    many_processes(t)
    names(t)
    done, _ = record(t, ["--stage-lines", "--stages", "fast"], ["0", "3"])
    t.equal([name for name, *_ in lines(done.err)], ["fast"] * 3, "--stages chooses; without a number")
    done, _ = record(t, ["--stage-lines=20", "-q"], ["0", "3"])
    t.equal(done.err, b"", "quiet")
    done, _ = record(t, [], ["0", "3"])
    t.equal(lines(done.err), [], "not asked for")
    done, _ = record(t, ["--stage-lines"], ["0", "3"], {"RANK": "3", "WORLD_SIZE": "4", "LOCAL_RANK": "3"}, rank=3)
    t.check(b"(rank 3, live " in done.err, f"{done}")


def record(t, options, arguments, env=None, rank=0):
    directory = t.new_directory()
    done = t.run([t.syncline, "-o", directory, *options, "--", t.victim("live"), *arguments], env={**t.mode_environment(), **(env or {})})
    t.equal(done.ending, "status 0", f"{done}")
    return done, Trace(os.path.join(directory, f"rank-{rank}.trace.json.gz"))


def lines(err):
    return [(name, float(number) * UNITS[unit]) for name, number, unit, *_ in LINE.findall(err.decode())]


def about(told, true):
    """A line has three digits."""
    return abs(told - true) <= 0.006 * true + 2


def while_it_runs(t):
    """The program goes on only when the line is there."""
    directory = t.new_directory()
    end, begin = os.pipe()
    started = t.start([t.syncline, "-o", directory, "--stage-lines=50", "--", t.victim("live"), "3"], t.mode_environment(), stdin=end)
    os.close(end)
    for count in range(1, 4):
        t.until(lambda: len(lines(started.output()[1])) >= count, f"{count} lines are there")
        t.equal(len(lines(started.output()[1])), count, "one for each call")
        os.write(begin, b"x")
    os.close(begin)
    done = started.wait()
    t.equal(done.ending, "status 0", f"{done}")
    told = lines(done.err)
    t.equal([name for name, _ in told], ["slow"] * 3 + ["across"], f"{done}")
    trace = Trace(os.path.join(directory, "rank-0.trace.json.gz"))
    true = [r.end - r.begin for r in trace.ranges(name="slow")] + [r.end - r.begin for r in trace.ranges(name="across")]
    t.check(all(about(ns, length) for (_, ns), length in zip(told, true, strict=True)), f"{told}, {true}")


def many_processes(t):
    """More of them than the launcher may have files open; each has its lines."""
    directory = t.new_directory()
    loop = f"i=0; while [ $i -lt {PROCESSES} ]; do {t.victim('live')} 0 1; i=$((i+1)); done"
    limit = [t.need("prlimit"), f"--nofile={PROCESSES // 2}"]
    done = t.run([*limit, t.syncline, "-o", directory, "--stage-lines=1000000", "--", "sh", "-c", loop], env=t.mode_environment())
    t.equal(done.ending, "status 0", f"{done}")
    trace = Trace(os.path.join(directory, "rank-0.trace.json.gz"))
    t.equal((len(trace.ranges()), len(lines(done.err))), (2 * PROCESSES, 2 * PROCESSES), f"{done}")


def at_most(t):
    began = time.monotonic()
    done, trace = record(t, ["--stage-lines", "7"], ["0", "2000"])
    lasted = time.monotonic() - began
    told = lines(done.err)
    left = re.search(r"syncline: ([\d,]+) calls of stages had no line", done.err.decode())
    t.check(left and len(told) + int(left[1].replace(",", "")) == len(trace.ranges()) == 2001, f"{len(told)} lines, {left}")
    t.check(7 <= len(told) <= 7 * (lasted + 1), f"{len(told)} lines in {lasted:.1f} s")


def names(t):
    """A name is no line of ours, whatever is in it; of a long one the end is told, which says most."""
    site = t.path("site")
    shutil.copytree(os.path.join(ROOT, "packaging", "wheel"), os.path.join(site, "syncline"))
    long = f"{'package.' * 20}Pipeline.step"
    code = f"import syncline\nfor name in 'one\\nsyncline: two\\rthree', '{long}', '{'x' * 100}':\n  with syncline.region(name): pass"
    env = {**t.mode_environment(), "PYTHONPATH": site}
    done = t.run([t.syncline, "-o", t.new_directory(), "--stage-lines", "--", sys.executable, "-c", code], env=env)
    told = re.findall(r"syncline: stage (.*?): [\d.]+ \w+ \(", done.err.decode())
    kept = f"...{'package.' * 5}Pipeline.step"
    t.equal(told, ["one?syncline: two?three", kept, f"{'x' * 57}..."], f"{done}")
