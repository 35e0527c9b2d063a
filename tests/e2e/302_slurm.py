# SPDX-License-Identifier: Apache-2.0
"""srun with 4 tasks on two pretend nodes, syncline inside and outside of srun, and a second step in
the allocation."""

import os

from slurm_cluster import Cluster

LABELS = ("mpi", "slurm")


def test(t):
    t.need_root()
    t.need("srun", "slurmctld", "slurmd", "munged")
    with Cluster() as cluster:
        srun = [t.need("srun"), "-N2", "-n4", "--ntasks-per-node=2"]
        program = [t.victim("exec_chain"), "1"]
        for order in ("inside", "outside"):
            directory = t.new_directory()
            command = (
                [*srun, *t.launch(program, (), directory)]
                if order == "inside"
                else t.launch([*srun, *program], (), directory)
            )
            recording = t.record_command(command, directory, cluster.environment)
            t.equal(recording.ending, "status 4", order)
            t.equal(recording.ranks(), [0, 1, 2, 3], f"{order}: traces\n{recording}")
            hosts = set()
            for rank in range(4):
                t.equal(
                    sorted(recording.trace(rank).names()),
                    ["closed 0", "closed 1", "open 1"],
                    f"{order}: rank {rank}",
                )
                hosts |= {process["host"] for process in recording.manifest(rank)["processes"]}
            t.equal(hosts, {"n1", "n2"}, order)
        two_steps(t, cluster, srun)


def two_steps(t, cluster, srun):
    """A second job in one allocation into the same directory becomes job-2 or is refused; it never
    mixes."""
    directory = t.new_directory()
    step = " ".join([*srun, *t.launch([t.victim("exec_chain"), "0"], (), directory)])
    result = t.run(
        ["salloc", "-N2", "-n4", "sh", "-c", f"{step}; {step}; true"],
        {**t.mode_environment(), **cluster.environment},
    )
    t.equal(
        sorted(name for name in os.listdir(directory) if name.endswith(".gz")),
        [f"rank-{i}.trace.json.gz" for i in range(4)],
        f"{result}",
    )
    t.equal(
        sorted(
            name for name in os.listdir(os.path.join(directory, "job-2")) if name.endswith(".gz")
        ),
        [f"rank-{i}.trace.json.gz" for i in range(4)],
        f"{result}",
    )
