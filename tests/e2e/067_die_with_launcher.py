# SPDX-License-Identifier: Apache-2.0
"""With --die-with-launcher SIGKILL for the launcher ends the program too; without it the program runs on."""

import os
import signal

import kills

MODES = ("launcher",)


def test(t):
    for options in ([], ["--die-with-launcher"]):
        directory = t.new_directory()
        started = t.start(t.launch(["sh", "-c", "echo $$; exec sleep 300"], options, directory))
        program = int(t.until(lambda: started.output()[0], "the program runs"))
        kills.kill(started.pid)
        t.equal(started.wait(20).ending, "signal 9")
        if options:
            t.until(lambda: not runs(program), "the program ends with its launcher")
        else:
            t.check(runs(program), "the program ended with its launcher although nobody asked for that")
            os.kill(program, signal.SIGKILL)
            t.until(lambda: not runs(program), "the program ends")


def runs(pid):
    import processes

    processes.reap()
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False
