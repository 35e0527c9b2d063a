# SPDX-License-Identifier: Apache-2.0
"""`syncline bench A --against B`: a warm-up of each that is not kept, runs in turn with the order alternating, nothing of what fails compared,
and Ctrl-C that leaves no process and no half of a run behind the message."""

import os
import signal
import time

MODES = ("launcher",)
LABELS = ("core",)


def test(t):
    order, out = t.path("order"), t.path("out")
    program = t.victim("nvtx_c")
    sides = [["/bin/sh", "-c", f"echo {letter} >>{order}; exec {program}"] for letter in "AB"]
    done = bench(t, ["-n", "3", "-o", out, "--", *sides[0], "--against", *sides[1]])
    t.equal(done.ending, "status 0", f"{done}")
    with open(order) as file:
        t.equal(file.read().split(), [*"AB", *"ABBAAB"], "warm-ups, then the runs")
    runs = [f"{side}-{number}" for side in "ab" for number in (1, 2, 3)]
    t.equal(sorted(os.listdir(out)), runs, "kept")
    t.check(done.out.startswith(b"a-1 to a-3 -> b-1 to b-3: 3 runs"), f"{done}")
    t.check(f"again: syncline compare {out}/a-* -- {out}/b-*".encode() in done.err, f"{done}")
    t.equal([line.split()[2] for line in done.err.decode().splitlines() if " took " in line], ["a-1", "b-1", "b-2", "a-2", "a-3", "b-3"], f"{done}")

    quoted = bench(t, ["-n1", "-o", t.path("quoted"), f"true && {program}", "--against", f"false || {program}"])
    t.equal((quoted.ending, sorted(os.listdir(t.path("quoted")))), ("status 0", ["a-1", "b-1"]), f"{quoted}")
    again = bench(t, ["-o", out, "true", "--against", "true"])
    t.equal(again.ending, "status 125", f"{again}")
    refused(t)
    failing(t, program)
    stopped(t, program)


def bench(t, words):
    return t.run([t.syncline, "bench", *words], cwd=t.directory)


def refused(t):
    for words, why in (([], b"no --against"), (["true"], b"no --against"), (["true", "--against"], b"no command behind"),
                       (["--against", "true"], b"no command before"), (["-n", "0", "true", "--against", "true"], b"-n 0"),
                       (["true", "--against", "no-such-program"], b"no-such-program"), (["true 1", "--against", "true 2", "--all"], b"options of bench stand before"), (["--rusn", "3"], b"--runs"), (["/bin/true", "--against", "/bin/true"], b"nothing was recorded of a-warm-up")):
        done = bench(t, words)
        t.equal((done.ending, done.out), ("status 125", b""), f"{words}: {done}")
        t.check(why in done.err, f"{words}: {done}")
        t.equal(os.path.exists(t.path("syncline-out")), words[0:1] == ["/bin/true"], f"{words}: a line that is refused makes nothing")


def failing(t, program):
    """The third run of b fails: the second that is kept."""
    count = t.path("count")
    script = f"{program}; echo B >>{count}; [ $(grep -c B {count}) -lt 3 ] || exit 7"
    done = bench(t, ["-o", t.path("failing"), program, "--against", "/bin/sh", "-c", script])
    t.equal((done.ending, done.out), ("status 7", b""), f"{done}")
    t.check(b"b-2" in done.err and b"exited with status 7" in done.err, f"{done}")


def stopped(t, program):
    started = t.start([t.syncline, "bench", "-o", t.path("stopped"), program, "--against", "sleep", "60"], cwd=t.directory)
    while not os.path.isdir(t.path("stopped/b-warm-up/run")):
        time.sleep(0.01)
    os.kill(started.pid, signal.SIGINT)
    done = started.wait(30)
    t.equal(done.ending, "signal 2", f"{done}")
    t.check(b"stopped in b-warm-up" in done.err, f"{done}")
