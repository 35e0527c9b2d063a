# SPDX-License-Identifier: Apache-2.0
"""Launcher and program killed at once: at most one poll period is lost, and recover makes the
trace."""

import os
import time

import kills
import processes

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
    recovered = t.recover(recording)
    recording = t.finish(recording, directory)
    if t.mode == "launcher":  # the process's own memory is a file, and read to its end
        t.check(b"recording has no end" in recovered.err, f"{recovered}")
    lost = kills.missing(recording.trace(), victim.finished(before=at - 60_000_000))
    t.check(not lost, f"{len(lost)} ranges are missing, such as {lost[:5]}\n{recording}")
    again = t.recover(recording)
    t.check(again.status == 0, "recover of what is complete")
    if t.mode == "launcher":
        as_a_job_is_ended(t)


def as_a_job_is_ended(t):
    """Rank 1 fails, and somebody kills all that is left of the job."""
    directory = t.new_directory()
    job = {"WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2", "TORCHELASTIC_RUN_ID": directory, "MASTER_ADDR": "here", "MASTER_PORT": "1"}
    victim = kills.Numbered(t, 400000, 20000, number=1)
    launcher = t.start(t.launch(victim.command, (), directory), {**job, "RANK": "0", "LOCAL_RANK": "0"})
    pid = victim.wait_for_pid(t)
    fails = ["sh", "-c", '"$0" 10 1; exit 9', t.victim("fast")]
    t.equal(t.run(t.launch(fails, (), directory), {**job, "RANK": "1", "LOCAL_RANK": "1"}).status, 9)
    for each in (launcher.pid, pid):
        os.kill(each, 9)
    launcher.wait()
    t.equal(processes.left_behind(60), [], "all is killed")
    report = t.run([t.syncline, "report", directory])
    t.check(b"rank 0's recording has no end" in report.out and b"rank 1 was the first to fail" in report.out, f"{report}")
