# SPDX-License-Identifier: Apache-2.0
"""A program that stops itself stops the launcher with it, and SIGCONT lets both go on."""

import os
import signal


def state(pid):
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rsplit(")", 1)[1].split()[0]


def test(t):
    directory = t.new_directory()
    started = t.start(t.launch([t.victim("stop_self")], directory=directory), t.mode_environment())
    t.until(lambda: state(started.pid) == "T", "the launcher is stopped")
    os.kill(started.pid, signal.SIGCONT)
    result = t.finish(started.wait(), directory)
    t.equal((result.out, result.ending), (b"stopping\ncontinued\n", "status 0"))
    t.counted(result.trace().names(), {"before stop": 1, "after stop": 1})
