# SPDX-License-Identifier: Apache-2.0
"""A rank dies by SIGKILL and mpirun ends the others: what all ranks recorded is in their traces."""

LABELS = ("mpi", "kill")
ONE_DIES = 'if [ "$OMPI_COMM_WORLD_RANK" = 2 ]; then sleep 0.5; exec "$0" sigkill; fi; "$0" return; exec sleep 20'


def test(t):
    mpirun = [t.need("mpirun.openmpi"), "--allow-run-as-root", "--oversubscribe", "-n", "4"]
    program = ["bash", "-c", ONE_DIES, t.victim("endings")]
    for order in ("inside", "outside"):
        directory = t.new_directory()
        inner = t.launch(program, (), directory)
        outer = t.launch([*mpirun, *program], (), directory)
        command = [*mpirun, *inner] if order == "inside" else outer
        recording = t.record_command(command, directory, complete=False)
        t.check(recording.ending not in ("status 0", "status 125"), f"{order}: {recording}")
        first = [line for line in recording.said if "rank 2 was the first to fail: killed by signal 9" in line]
        t.equal(len(first), 1 if order == "inside" else 0, f"{order}: {recording}")
        if order == "outside":
            killed = [line for line in recording.said if "rank-2: endings (" in line and ") was killed by signal 9 (KILL)" in line]
            t.equal(len(killed), 1, f"{order}: {recording}")
        if not t.is_complete(directory):
            t.recover(recording)
        recording = t.finish(recording, directory)
        t.equal(recording.ranks(), [0, 1, 2, 3], order)
        for rank in range(4):
            names = recording.trace(rank).names()
            t.counted(names, {"closed": 1, "open": 1, "open inside": 1})
