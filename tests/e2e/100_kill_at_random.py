# SPDX-License-Identifier: Apache-2.0
"""SIGKILL at random moments: every range that had ended 1 ms before is in the trace, which is
valid."""

import random
import time

import kills

LABELS = ("kill", "endings", "thin")
TIMEOUT = 300
FULL_TIMEOUT = 2400


def test(t):
    for number in range(50 if t.full else 20):
        victim = kills.Numbered(t, 400000, random.choice((3000, 20000)), number)
        directory = t.new_directory()
        started = t.start(
            t.launch(victim.command, ["--memory-ring", "64M"], directory), t.mode_environment()
        )
        pid = victim.wait_for_pid(t)
        delay = random.random() * random.choice((0.002, 0.03, 0.3))
        time.sleep(delay)
        at = kills.kill(pid)
        finished = started.wait()
        wanted = victim.finished(before=at - 1_000_000)
        recording = t.finish(finished, directory, killed=True, complete=bool(wanted))
        t.equal(recording.ending, "signal 9")
        lost = kills.missing(recording.trace(), wanted) if wanted else []
        t.check(not lost, f"kill {number} after {delay:.4f} s: missing {lost[:5]}\n{recording}")
