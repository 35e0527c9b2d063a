# SPDX-License-Identifier: Apache-2.0
"""A signal sent to the launcher reaches the program once; one sent to the whole group, as a
terminal does, once too."""

import os
import signal


def test(t):
    directory = t.new_directory()
    started = t.start(t.launch([t.victim("signals")], directory=directory), t.mode_environment())
    t.until(lambda: b"ready" in started.output()[0], "the program is ready")
    for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2, signal.SIGUSR1):
        before = pending(started.pid)
        os.kill(started.pid, number)
        t.until(lambda: pending(started.pid) == before, "the signal was taken")
        t.until(quiet, "the signal was forwarded", 1)
    os.killpg(started.pid, signal.SIGINT)
    t.until(quiet, "the signal arrived", 1)
    os.kill(started.pid, signal.SIGQUIT)
    result = t.finish(started.wait(), directory)
    t.equal(result.ending, "status 12")
    counts = dict(line.rsplit(" ", 1) for line in result.out.decode().splitlines()[1:])
    wanted = {
        "Hangup": "1",
        "Terminated": "1",
        "User defined signal 1": "2",
        "User defined signal 2": "1",
        "Quit": "1",
    }
    t.equal({name: counts[name] for name in wanted}, wanted, "signals that arrived")
    t.check(int(counts["Interrupt"]) >= 1, f"{counts}")


def pending(pid):
    with open(f"/proc/{pid}/status") as file:
        return [line for line in file if line.startswith(("SigPnd", "ShdPnd"))]


def quiet():
    import time

    time.sleep(0.05)
    return True
