# SPDX-License-Identifier: Apache-2.0
"""Launcher and program killed at once: at most one poll period is lost, and recover makes the
trace."""

import os
import time

import kills

LABELS = ("kill",)


def test(t):
    victim = kills.Numbered(t, 400000, 20000)
    directory = t.new_directory()
    started = t.start(t.launch(victim.command, (), directory), t.mode_environment())
    pid = victim.wait_for_pid(t)
    time.sleep(0.4)
    at = kills.kill(started.pid)
    os.kill(pid, 9)
    recording = t.finish(started.wait(), directory, complete=False)
    t.recover(recording)
    recording = t.finish(recording, directory)
    lost = kills.missing(recording.trace(), victim.finished(before=at - 60_000_000))
    t.check(not lost, f"{len(lost)} ranges are missing, such as {lost[:5]}\n{recording}")
    again = t.recover(recording)
    t.check(again.status == 0, "recover of what is complete")
