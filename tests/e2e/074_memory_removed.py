# SPDX-License-Identifier: Apache-2.0
"""A process that drains itself is killed, and /dev/shm is cleaned before anybody recovers it (a reboot, a batch system's end of
job): its spool becomes a trace, and what is lost is told."""

import glob
import os
import time

import kills

MODES = ("process",)
LABELS = ("kill",)


def test(t):
    victim = kills.Numbered(t, 400000, 20000)
    directory = t.new_directory()
    env = {"LD_PRELOAD": t.library, "NVTX_INJECTION64_PATH": t.library, "SYNCLINE_OUTPUT": directory}
    started = t.start(victim.command, env)
    pid = victim.wait_for_pid(t)
    time.sleep(0.4)
    at = kills.kill(pid)
    finished = started.wait()
    for path in glob.glob("/dev/shm/syncline-*"):
        os.unlink(path)
    found = t.run([t.syncline, "recover", directory])
    t.equal(found.status, 0, f"{found}")
    t.check(b"clean-up of /dev/shm" in found.err, f"{found}")
    recording = t.finish(finished, directory)
    lost = kills.missing(recording.trace(), victim.finished(before=at - 1_000_000_000))
    t.check(not lost, f"{len(lost)} ranges are missing, such as {lost[:5]}\n{recording}")
    t.check(recording.trace().ranges(), "nothing was recovered")
