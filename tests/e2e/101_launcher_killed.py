# SPDX-License-Identifier: Apache-2.0
"""SIGKILL for the launcher harms nothing: the program runs on to its end, notices within seconds,
and drains itself."""

import time

import kills

LABELS = ("kill",)
MODES = ("launcher",)


def test(t):
    victim = kills.Numbered(t, 18000, 250000)
    directory = t.new_directory()
    started = t.start(t.launch(victim.command, ["--memory-ring", "64K"], directory))
    pid = victim.wait_for_pid(t)
    time.sleep(0.5)
    at = kills.kill(started.pid)
    result = started.wait()
    t.equal(result.ending, "signal 9")
    t.until(lambda: not alive(pid), "the program ends", 60)
    t.equal(list(victim.head()[3:]), [18000, 18000], "ranges that the program did")
    recording = t.finish(result, directory, complete=False)
    t.recover(recording)
    recording = t.finish(result, directory)
    early = kills.missing(recording.trace(), victim.finished(before=at - 100_000_000))
    t.check(
        not early,
        f"{len(early)} ranges of before the kill are missing, such as {early[:5]}\n{recording}",
    )
    late = kills.missing(recording.trace(), victim.finished(after=at + 3_500_000_000))
    t.check(
        not late,
        f"{len(late)} ranges of long after the kill are missing, such as {late[:5]}\n{recording}",
    )


def alive(pid):
    import processes

    processes.reap()
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False
