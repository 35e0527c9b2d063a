# SPDX-License-Identifier: Apache-2.0
"""--stage-lines tell the peak of the allocator and how busy devices were: as the program and the trace say, and no more than is known."""

import json
import os
import re

from chrome_trace import Trace

LABELS = ("gpu", "torch")
LINE = re.compile(r"syncline: stage (.+?): [\d.]+ \w+(?:, peak memory ([\d.]+) (B|KiB|MiB|GiB))?(?:, device busy (at least |unknown)?(?:([\d.]+) %)?)? \(.* \d+\)")
UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
PROGRAM, STEPS = "stream", 4


def test(t):
    busy_as_the_trace(t, [], "")
    busy_as_the_trace(t, ["--cuda-graphs", "node"], "at least ")
    busy_as_the_trace(t, ["--cuda-api", "none"], "at least ")
    if not t.on_real_gpu():
        while_work_is_to_come(t)
    peaks_as_the_program(t, PROGRAM, STEPS)


def lines(err):
    """[(name, peak, word, percent)]"""
    found = [LINE.match(line) for line in err.decode().splitlines() if line.startswith("syncline: stage ")]
    return [(m[1], m[2] and float(m[2]) * UNITS[m[3]], m[4] or "", m[5] and float(m[5])) for m in found]


def busy_as_the_trace(t, options, word):
    """`word`: of calls of which something may be missing; with nodes of graphs those since the first graph."""
    env = {**t.gpu_environment(), "SIMGPU_DURATIONS": "*Long*=400us,*=100us"}
    directory = t.new_directory()
    done = t.run([t.syncline, "-o", directory, "--stage-lines=1000000", *options, "--", t.cuda_program("device_time")], env=env)
    t.equal(done.ending, "status 0", f"{done}")
    trace = Trace(os.path.join(directory, "rank-0.trace.json.gz"))
    told = sorted((name, word, percent) for name, _, word, percent in lines(done.err))
    ranges = sorted(trace.ranges(), key=lambda r: r.name)
    t.equal([name for name, *_ in told], [r.name for r in ranges], f"{done}")
    shares = {}
    shortest = 200_000 if t.on_real_gpu() else 0  # the clocks of a real one are not so near
    for r in (r for r in ranges if r.end - r.begin >= shortest):
        shares.setdefault(r.name, []).append(100 * busy(trace, r) / (r.end - r.begin))
    for name in sorted(set(shares) - {"many"}):  # ranges of 1 us are not told apart
        [(_, said, percent)] = [one for one in told if one[0] == name]
        [true] = shares[name]
        t.check(abs((percent or 0) - true) <= 0.6 + 0.02 * true, f"{options} {name}: {percent}, {true}")
        t.check(not said or word, f"{options} {name}: {said}{percent}")
        t.check(said or not word or percent == 100 or (options[0] == "--cuda-graphs" and name in ("inner", "silent", "outer", "nothing", "capture")), f"{options} {name}: {said}{percent}")


def busy(trace, r):
    total, until = 0, r.begin
    for op in sorted(trace.device_ops(), key=lambda op: op.begin):
        begin, end = max(op.begin, until), min(op.end, r.end)
        if end > begin:
            total, until = total + end - begin, end
    return total


def while_work_is_to_come(t):
    """A stage that ends before its work: its line waits for a second, and then says what is known. Work that was launched while nothing was
    recorded counts."""
    for options, names, long in (([], ("soon", "beside", "late"), "3s"), (["--stages", "beside"], ("beside",), "1ms")):
        env = {**t.mode_environment(), **t.gpu_environment(), "SIMGPU_DURATIONS": f"*Long*={long},*Short*=200ms"}
        end, begin = os.pipe()
        started = t.start([t.syncline, "-o", t.new_directory(), "--stage-lines", *options, "--", t.cuda_program("late_work")], env, stdin=end)
        os.close(end)
        t.until(lambda: len(lines(started.output()[1])) >= len(names), "the lines are there")
        found = {name: (word, percent) for name, _, word, percent in lines(started.output()[1])}
        t.equal(found["beside"], ("", 100), f"{options}")
        if not options:
            t.equal(found["soon"][0], "", f"{found}")
            t.check(found["late"][0] in ("unknown", "at least "), f"{found}")
        os.close(begin)
        done = started.wait()
        t.equal((done.ending, tuple(found)), ("status 0", names), f"{done}")


def peaks_as_the_program(t, what, steps):
    directory = t.new_directory()
    done = t.run([t.syncline, "-o", directory, "--stage-lines=1000000", "--", *t.torch_program("memory"), what, str(steps)], env=t.torch_environment())
    t.equal(done.ending, "status 0", f"{done}")
    true = {f"step {one['step']}": one["allocated_peak"] for one in map(json.loads, done.out.splitlines())}
    told = {name: peak for name, peak, *_ in lines(done.err) if name in true}
    t.equal(sorted(told), sorted(true), f"{done}")
    t.check(all(abs(told[name] - peak) <= 0.006 * peak for name, peak in true.items()), f"{what}: {told}, {true}")
    t.check(len(set(true.values())) > 1, f"{what}: steps differ: {true}")
