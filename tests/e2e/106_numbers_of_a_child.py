# SPDX-License-Identifier: Apache-2.0
"""A rank of mpirun that sets RANK, WORLD_SIZE and LOCAL_RANK for its child: the ranks are mpirun's, and the child is of its own."""

LABELS = ("mpi",)
SCRIPT = "$0 3; env -u OMPI_COMM_WORLD_RANK -u OMPI_COMM_WORLD_SIZE {more} RANK=1 LOCAL_RANK=1 WORLD_SIZE=4 $0 5"


def test(t):
    mpirun = [t.need("mpirun.openmpi"), "--allow-run-as-root", "--oversubscribe", "-n", "2"]
    for more in ("", "-u PMIX_RANK -u PMIX_NAMESPACE"):
        recording = t.record([*mpirun, "sh", "-c", SCRIPT.format(more=more), t.victim("deep")])
        t.equal(recording.ranks(), [0, 1], f"{more}: {recording}")
        for rank in (0, 1):
            t.equal(recording.manifest(rank)["ranges"], 3 + 1 + 5 + 1, f"{more}: {recording.manifest(rank)}")
        t.check("without a rank" not in str(recording.said), f"{more}: {recording.said}")
