# SPDX-License-Identifier: Apache-2.0
"""`syncline bench A --against B`: a warm-up of each that is not kept, runs in turn with the order alternating, options of the recordings, nothing
of what fails compared, one crash of a run told and its run recorded once more; Ctrl-C, the second one, and kill -9 leave no process behind."""

import os
import signal
import time

MODES = ("launcher",)
LABELS = ("core",)


def test(t):
    order, out = t.path("order"), t.path("out")
    program = t.victim("nvtx_c")
    sides = [["/bin/sh", "-c", f"echo {letter}$SYNCLINE_MIN_DURATION >>{order}; exec {program}"] for letter in "AB"]
    done = bench(t, ["-n", "3", "--min-duration", "5us", "-o", out, "--", *sides[0], "--against", *sides[1]])
    t.equal(done.ending, "status 0", f"{done}")
    with open(order) as file:
        t.equal(file.read().split(), [f"{letter}5us" for letter in "ABABBAAB"], "warm-ups, then the runs")
    runs = [f"{side}-{number}" for side in "ab" for number in (1, 2, 3)]
    t.equal(sorted(os.listdir(out)), runs, "kept")
    t.check(done.out.startswith(b"a-1 to a-3 -> b-1 to b-3: 3 runs"), f"{done}")
    t.check(f"again: syncline compare {out}/a-* -- {out}/b-*".encode() in done.err, f"{done}")
    t.equal([line.split()[2] for line in done.err.decode().splitlines() if " took " in line], ["a-1", "b-1", "b-2", "a-2", "a-3", "b-3"], f"{done}")

    quoted = bench(t, ["--sample", "-n1", "-o", t.path("quoted"), f"true && {program}", "--against", f"false || {program}"])
    t.equal((quoted.ending, sorted(os.listdir(t.path("quoted")))), ("status 0", ["a-1", "b-1"]), f"{quoted}")
    again = bench(t, ["-o", out, "true", "--against", "true"])
    t.equal(again.ending, "status 125", f"{again}")
    refused(t)
    failing(t, program)
    crashing(t, program)
    stopped(t, program)
    killed(t, program)


def bench(t, words):
    return t.run([t.syncline, "bench", *words], cwd=t.directory)


def refused(t):
    for words, why in (([], b"no --against"), (["true"], b"no --against"), (["true", "--against"], b"no command behind"),
                       (["--against", "true"], b"no command before"), (["-n", "0", "true", "--against", "true"], b"-n 0"),
                       (["true", "--against", "no-such-program"], b"no-such-program"), (["true 1", "--against", "true 2", "--all"], b"options of bench stand before"), (["--rusn", "3"], b"--runs"),
                       (["--min-duration", "x", "true", "--against", "true"], b"it must be a time"), (["--force", "true", "--against", "true"], b"no option --force"), (["/bin/true", "--against", "/bin/true"], b"nothing was recorded of warm-up-a")):
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


def crashing(t, program):
    """The warm-up of b crashes, and no run; then its warm-up and its first run, which crashes twice."""
    for last, ending, names in ((1, "status 0", ["a-1", "b-1", "crashed-warm-up-b"]), (4, "signal 6", ["a-1", "b-1", "crashed-b-1", "crashed-warm-up-b"])):
        count, out = t.path(f"count{last}"), t.path(f"crashing{last}")
        script = f"{program}; echo B >>{count}; n=$(grep -c B {count}); [ $n -gt {last} ] || [ $n = 2 ] || kill -ABRT $$"
        done = bench(t, ["-n1", "-o", out, program, "--against", "/bin/sh", "-c", script])
        t.equal((done.ending, sorted(os.listdir(out))), (ending, names), f"{done}")
        t.check(b"warm-up-b, " in done.err and b"is recorded once more" in done.err, f"{done}")
        t.equal(b"1 of 2 runs of b crashed and was recorded once more: warm-up-b" in done.err, last == 1, f"{done}")


def stopped(t, program):
    """The second of two signals ends what takes no notice of the first."""
    script = f"trap '' INT; touch {t.path('deaf')}; while :; do sleep 0.05; done"
    for name, command, signals in (("stopped", ["sleep", "60"], 1), ("deaf", ["/bin/sh", "-c", script], 2)):
        started = t.start([t.syncline, "bench", "-o", t.path(f"out-{name}"), program, "--against", *command], cwd=t.directory)
        wait_for(lambda: os.path.isdir(t.path(f"out-{name}/warm-up-b/run")) and (signals == 1 or os.path.exists(t.path("deaf"))))
        for _ in range(signals):
            os.kill(started.pid, signal.SIGINT)
            time.sleep(0.3)
        done = started.wait(30)
        t.equal(done.ending, "signal 2", f"{done}")
        t.check(b"stopped in warm-up-b" in done.err, f"{done}")
        t.equal(b"(SIGKILL); once more" in done.err, signals == 2, f"{done}")


def killed(t, program):
    path = t.path("pid")
    started = t.start([t.syncline, "bench", "-o", t.path("killed"), program, "--against", f"true; echo $$ >{path}.new; mv {path}.new {path}; sleep 60; true"], cwd=t.directory)
    wait_for(lambda: os.path.exists(path))
    with open(path) as file:
        shell = int(file.read())
    below = [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and parent_of(pid) == shell]
    os.kill(started.pid, signal.SIGKILL)
    started.wait(30)
    wait_for(lambda: not any(parent_of(pid) for pid in (shell, *below)))


def parent_of(pid):
    """0: there is no such process."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            state, parent = file.read().rpartition(") ")[2].split()[:2]
        return 0 if state == "Z" else int(parent)
    except OSError:
        return 0


def wait_for(condition):
    until = time.monotonic() + 30
    while not condition():
        if time.monotonic() > until:
            raise TimeoutError("what was waited for did not come")
        time.sleep(0.02)
