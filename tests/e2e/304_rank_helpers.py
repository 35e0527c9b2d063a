# SPDX-License-Identifier: Apache-2.0
"""A shell around each rank has the rank's variables too: its helpers are in the rank's trace and
disturb nothing."""

LABELS = ("mpi",)


def test(t):
    mpirun = [t.need("mpirun.openmpi"), "--allow-run-as-root", "--oversubscribe", "-n", "2"]
    directory = t.new_directory()
    command = t.launch([*mpirun, t.victim("ranks.sh"), t.victim("deep"), "2"], (), directory)
    recording = t.record_command(command, directory)
    t.equal(recording.ranks(), [0, 1], f"{recording}")
    for rank in range(2):
        t.equal(recording.trace(rank).names(), ["level 0", "level 1", "afterwards"])
        executables = [
            process["executable"].rsplit("/", 1)[1]
            for process in recording.manifest(rank)["processes"]
        ]
        t.check({"deep", "bash", "hostname", "date"} <= set(executables), f"{executables}")
