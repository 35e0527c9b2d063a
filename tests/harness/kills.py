# SPDX-License-Identifier: Apache-2.0
"""For the tests that kill: what the victim `numbered` says it had finished, and when."""

import os
import struct
import time

HEAD = struct.Struct("<5Q")  # pid, threads, ranges per thread, count of thread 0, count of thread 1


class Numbered:
    """Runs `numbered FILE RANGES PAUSE_NS`; `file` is the victim's shared file."""

    def __init__(self, t, ranges, pause_ns, number=0):
        self.path = t.path(f"numbered{number}")
        self.command = [t.victim("numbered"), self.path, str(ranges), str(pause_ns)]

    def head(self):
        try:
            with open(self.path, "rb") as file:
                data = file.read(HEAD.size)
        except FileNotFoundError:
            return None
        return HEAD.unpack(data) if len(data) == HEAD.size else None

    def wait_for_pid(self, t):
        return t.until(lambda: (self.head() or (0,))[0], "the victim runs")

    def finished(self, before=None, after=0):
        """Names of the ranges that had ended between two MONOTONIC times (ns)."""
        _, threads, most, *counts = self.head()
        names = []
        with open(self.path, "rb") as file:
            for thread in range(threads):
                file.seek(HEAD.size + thread * most * 8)
                times = struct.unpack(f"<{most}Q", file.read(most * 8))
                names += [
                    f"{thread}:{i}"
                    for i, ended in enumerate(times)
                    if after < ended and (before is None or ended < before)
                ]
        return names


def missing(trace, wanted):
    return sorted(set(wanted) - {r["name"] for r in trace.events if r["ph"] == "X"})


def kill(pid, number=9):
    """The MONOTONIC time (ns) just before the signal was sent."""
    now = time.monotonic_ns()
    os.kill(pid, number)
    return now


def crashed(t):
    """The directory of a run whose launcher and program were killed, so that its spool is left."""
    victim = Numbered(t, 400000, 20000)
    directory = t.new_directory()
    started = t.start(t.launch(victim.command, (), directory), t.mode_environment())
    pid = victim.wait_for_pid(t)
    time.sleep(0.4)
    kill(started.pid)
    os.kill(pid, 9)
    t.finish(started.wait(), directory, complete=False)
    return directory
