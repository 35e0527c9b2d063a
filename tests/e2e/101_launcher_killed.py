# SPDX-License-Identifier: Apache-2.0
"""SIGKILL for the launcher harms nothing: the program runs on to its end, and nothing that it recorded is lost, however little it
records. If it is killed too, its recording has no end, and that is told."""

import glob
import os
import time

import kills
import processes

LABELS = ("kill",)
MODES = ("launcher",)


def test(t):
    runs_on(t)
    records_little(t)
    is_killed_too(t)


def runs_on(t):
    victim = kills.Numbered(t, 6000, 250000)
    recording = kill_launcher(t, victim.command, ["--memory-ring", "64K"], 0.3)
    t.equal(list(victim.head()[3:]), [6000, 6000], "ranges that the program did")
    lost = kills.missing(recording.trace(), victim.finished())
    t.check(not lost, f"{len(lost)} ranges are missing, such as {lost[:5]}\n{recording}")
    t.equal(recording.losses(), {}, "losses")


def records_little(t):
    recording = kill_launcher(t, [t.victim("fast"), "100", "1", "10000"], [], 0.3)
    t.equal((len(recording.trace().ranges(name="fast")), recording.losses()), (100, {}), f"{recording}")


def kill_launcher(t, command, options, after_s):
    """The recovered recording of a program whose launcher is killed `after_s` after its first records came."""
    directory = t.new_directory()
    started = t.start(t.launch(command, options, directory))
    t.until(lambda: glob.glob(os.path.join(directory, "run/spool/*/*.spool")), "the program records")
    time.sleep(after_s)
    kills.kill(started.pid)
    result = started.wait()
    t.equal(result.ending, "signal 9")
    t.equal(processes.left_behind(60), [], "the program ends")
    t.recover(t.finish(result, directory, complete=False))
    return t.finish(result, directory)


def is_killed_too(t):
    victim = kills.Numbered(t, 400000, 20000, number=1)
    directory = t.new_directory()
    started = t.start(t.launch(victim.command, (), directory))
    pid = victim.wait_for_pid(t)
    time.sleep(0.2)
    kills.kill(started.pid)
    time.sleep(0.1)
    os.kill(pid, 9)
    result = started.wait()
    t.equal(processes.left_behind(60), [], "all is killed")
    # The report writes the trace first.
    report = t.run([t.syncline, "report", directory])
    t.check(b"recording has no end" in report.out, f"{report}")
    t.equal(t.finish(result, directory).losses(), {"consumer_gone": 1})
