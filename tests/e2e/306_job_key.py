# SPDX-License-Identifier: Apache-2.0
"""Two launchers of one job share a directory, each with its rank; a launcher of another job is
refused and changes nothing."""

import os

MODES = ("launcher",)
LABELS = ("mpi",)


def variables(job, rank):
    return {
        "SLURM_JOB_ID": job,
        "SLURM_STEP_ID": 0,
        "SLURM_PROCID": rank,
        "SLURM_STEP_NUM_TASKS": 2,
        "SLURM_LOCALID": rank,
    }


def test(t):
    directory = t.new_directory()
    for rank in (0, 1):
        command = t.launch([t.victim("deep"), str(rank + 1)], directory=directory)
        result = t.run(command, variables(77, rank))
        t.equal(result.status, 0, f"{result}")
    recording = t.finish(result, directory)
    t.equal(recording.ranks(), [0, 1])
    t.equal(len(recording.trace(1).ranges()), 3, "ranges of rank 1")
    other = t.run(t.launch([t.victim("deep"), "3"], directory=directory), variables(78, 0))
    if other.status == 0:  # the same allocation would be job-2; another job is not ours
        t.check(os.path.isdir(os.path.join(directory, "job-2")), f"two jobs mix: {other}")
    else:
        t.equal(other.status, 125, f"{other}")
        t.said(other, directory)
    t.equal(len(recording.trace(0).ranges()), 2, "ranges of rank 0")
