# SPDX-License-Identifier: Apache-2.0
"""A launcher that is stopped for three seconds is waited for, not abandoned: one trace, and rings grow, so that nothing is lost. What
processes sent that came and went meanwhile is taken together."""

import os
import signal
import time

MODES = ("launcher",)
EMITTED = 5000
RANK = {"RANK": "0", "WORLD_SIZE": "1", "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "1"}
# Each is a shell, which sends a note, then a program that sends one and a segment: all lie in the sockets when the launcher goes on.
SHORT = 'touch "$1"; while [ ! -e "$2" ]; do sleep 0.05; done; seq 1000 | xargs -P 4 -n 1 sh -c "exec $0 1 1 > /dev/null"; touch "$3"'


def short_processes(t):
    directory, paths = t.new_directory(), [t.path(name) for name in ("ready", "go", "done")]
    started = t.start(t.launch(["sh", "-c", SHORT, t.victim("fast"), *paths], directory=directory), RANK)
    t.until(lambda: os.path.exists(paths[0]), "the program runs")
    started.process.send_signal(signal.SIGSTOP)
    open(paths[1], "w").close()
    t.until(lambda: os.path.exists(paths[2]), "the short processes have ended", timeout=60)
    started.process.send_signal(signal.SIGCONT)
    recording = t.finish(started.wait(60), directory)
    t.counted(recording.trace().names(), {"fast": 1000})
    pids = [process["pid"] for process in recording.manifest()["processes"]]
    t.equal(len(pids), len(set(pids)), "the program that a process was before is forgotten")


def test(t):
    short_processes(t)
    directory = t.new_directory()
    started = t.start(t.launch([t.victim("fast"), str(EMITTED), "1", "700"], directory=directory))
    time.sleep(1.0)
    started.process.send_signal(signal.SIGSTOP)
    time.sleep(3.2)
    started.process.send_signal(signal.SIGCONT)
    recording = t.finish(started.wait(60), directory)
    t.equal(recording.ending, "status 0", f"{recording}")
    t.equal((len(recording.trace().ranges(name="fast")), recording.losses()), (EMITTED, {}), f"{recording}")
    t.equal(t.run([t.syncline, "recover", directory]).status, 0, "nothing else is left")
