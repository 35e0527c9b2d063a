# SPDX-License-Identifier: Apache-2.0
"""Of many launchers of a job the one that ends last says the lines for all, whichever it is; a rank whose launcher was killed is named."""

import os
import re
import signal
import time

MODES = ("launcher",)
RANKS = 12


def ranks_of(t, ends, killed=None):
    """Starts a launcher for each rank; its program ends when `ends` (in this order) says. What each of them said, by rank."""
    directory = t.new_directory()
    started = {}
    for rank in range(RANKS):
        env = {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(RANKS), "LOCAL_WORLD_SIZE": str(RANKS),
               "TORCHELASTIC_RUN_ID": directory, "MASTER_ADDR": "here", "MASTER_PORT": "1", "TORCHELASTIC_RESTART_COUNT": "0"}
        waits = ["sh", "-c", 'while [ ! -e "$1" ]; do sleep 0.02; done; exec "$2"', "sh", f"{directory}.go{rank}", t.victim("nvtx_c")]
        started[rank] = t.start(t.launch(waits, ["--die-with-launcher"], directory), env=env)
    t.until(lambda: len(os.listdir(os.path.join(directory, "run", "joined"))) == RANKS if os.path.isdir(directory) else False, "all joined")
    time.sleep(0.3)  # and have their marks
    said = {}
    if killed is not None:
        os.kill(started[killed].pid, signal.SIGKILL)
        started[killed].wait(20)
    for rank in ends:
        open(f"{directory}.go{rank}", "w").close()
        if rank != killed:
            said[rank] = [line for line in started[rank].wait(30).err.decode().splitlines() if line.startswith("syncline: ")]
    return directory, said


def test(t):
    for order in (list(range(RANKS)), list(reversed(range(RANKS)))):
        directory, said = ranks_of(t, order)
        t.equal([rank for rank in order if said[rank]], order[-1:], f"who spoke: {said}")
        lines = said[order[-1]]
        t.check(f"wrote {RANKS} traces to " in lines[0] and len(lines) <= 4, f"{lines}")
        t.check(not any("not written" in line for line in lines), f"{lines}")
    directory, said = ranks_of(t, list(range(RANKS)), killed=5)
    last = said.pop(RANKS - 1)
    t.check(not any(said.values()), f"who spoke: {said}")
    t.check(re.search(rf"wrote {RANKS - 1} traces to ", last[0]), f"{last}")
    t.check(any("not written: rank 5; `syncline recover" in line for line in last), f"{last}")
    all_at_once(t)


def all_at_once(t):
    """However close together they end, exactly one speaks."""
    for _ in range(5 if t.full else 2):
        directory = t.new_directory()
        program = f'for r in $(seq 0 {RANKS - 1}); do RANK=$r LOCAL_RANK=$r "$@" & done; wait'
        env = {"WORLD_SIZE": str(RANKS), "LOCAL_WORLD_SIZE": str(RANKS), "TORCHELASTIC_RUN_ID": directory, "MASTER_ADDR": "here",
               "MASTER_PORT": "1", "TORCHELASTIC_RESTART_COUNT": "0"}
        recording = t.record_command(["sh", "-c", program, "sh", *t.launch([t.victim("nvtx_c")], (), directory)], directory, env=env)
        t.equal(recording.ranks(), list(range(RANKS)), f"{recording}")
        t.equal(sum(f"wrote {RANKS} traces to " in line for line in recording.said), 1, f"{recording}")
