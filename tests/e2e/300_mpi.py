# SPDX-License-Identifier: Apache-2.0
"""4 ranks under Open MPI and MPICH, syncline inside and outside of mpirun: one directory, one trace
per rank."""

LABELS = ("mpi", "thin")
MPIS = {"openmpi": ["--allow-run-as-root", "--oversubscribe"], "mpich": []}


def test(t):
    for mpi, options in MPIS.items():
        mpirun = [t.need(f"mpirun.{mpi}"), *options, "-n", "4"]
        program = [t.victim(f"mpi_{mpi}")]
        for order in ("inside", "outside"):
            directory = t.new_directory()
            command = (
                [*mpirun, *t.launch(program, (), directory)]
                if order == "inside"
                else t.launch([*mpirun, *program], (), directory)
            )
            recording = t.record_command(command, directory, timeout=100)
            check_ranks(t, recording, mpi, f"{mpi} {order}")


def check_ranks(t, recording, launcher, what, size=4):
    t.equal(recording.ending, "status 0", what)
    t.equal(
        sorted(recording.out.decode().split("\n")),
        sorted([""] + [f"rank {i} sum {size * (size - 1) // 2}" for i in range(size)]),
        what,
    )
    t.equal(recording.ranks(), list(range(size)), f"{what}: traces")
    bases = set()
    for rank in range(size):
        trace = recording.trace(rank)
        info = trace.document["distributedInfo"]
        t.equal((info["rank"], info["world_size"]), (rank, size), what)
        t.counted(
            trace.paths(),
            {
                "before MPI_Init": 1,
                f"rank {rank} of {size}": 1,
                f"rank {rank} of {size} > step > allreduce": 3,
            },
        )
        t.equal(len(trace.ranges()), 8, f"{what}: ranges of rank {rank}")
        t.equal(recording.losses(rank), {}, what)
        bases.add(trace.document["baseTimeNanoseconds"])
    t.equal(len(bases), 1, f"{what}: bases of time")
