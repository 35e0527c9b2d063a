# SPDX-License-Identifier: Apache-2.0
"""Launchers that are not installed here, by the variables that they set: the rank, and which wins."""

MODES = ("launcher",)
LABELS = ("mpi",)
WAITS = True
SETS = {
    "torchrun": {
        "RANK": 1,
        "WORLD_SIZE": 2,
        "LOCAL_RANK": 1,
        "SLURM_PROCID": 0,
        "SLURM_STEP_ID": 0,
    },
    "openmpi": {"OMPI_COMM_WORLD_RANK": 1, "OMPI_COMM_WORLD_SIZE": 2, "PMIX_RANK": 0},
    "pals": {"PALS_RANKID": 1, "PALS_SIZE": 2},
    "mvapich": {"MV2_COMM_WORLD_RANK": 1, "MV2_COMM_WORLD_SIZE": 2},
    "pmi": {"PMI_RANK": 1, "PMI_SIZE": 2, "SLURM_PROCID": 0, "SLURM_STEP_ID": 3},
    "flux": {"FLUX_TASK_RANK": 1, "FLUX_JOB_SIZE": 2},
    "jsm": {"JSM_NAMESPACE_RANK": 1, "JSM_NAMESPACE_SIZE": 2},
    "slurm": {"SLURM_PROCID": 1, "SLURM_STEP_NUM_TASKS": 2, "SLURM_STEP_ID": 0},
}


def test(t):
    for launcher, variables in SETS.items():
        recording = t.record([t.victim("deep"), "1"], env=variables)
        t.equal(recording.ranks(), [1], launcher)
        trace = recording.trace(1)
        info = trace.document["distributedInfo"]
        t.equal((info["rank"], info["world_size"]), (1, 2), launcher)
        t.check(all(n.startswith("rank 1: ") for n in trace.process_names().values()), launcher)
        t.equal(trace.names(), ["level 0", "afterwards"], launcher)
    # Not a rank: what a batch script inherits from its allocation.
    recording = t.record([t.victim("deep"), "1"], env={"SLURM_PROCID": 5, "SLURM_JOB_ID": 7})
    t.equal(recording.ranks(), [0])
