# SPDX-License-Identifier: Apache-2.0
"""Two launchers of one job share a directory, each with its rank, also where nobody but torch.distributed's own
variables says so; a launcher of another job records beside it and changes nothing."""

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
    other = t.record_command(t.launch([t.victim("deep"), "3"], directory=directory), directory + ".2", {**variables(78, 0), "SLURM_STEP_NUM_TASKS": 1})
    t.said(other, "already holds the run of deep", os.path.basename(directory) + ".2")
    t.equal(len(recording.trace(0).ranges()), 2, "ranges of rank 0")
    by_hand(t)


def by_hand(t):
    """env:// of torch.distributed has no LOCAL_RANK. Without an address the processes are of no job that can be known."""
    directory = t.new_directory()
    address = {"MASTER_ADDR": "localhost", "MASTER_PORT": 29500}
    for known in (address, {}):
        started = [t.start(t.launch([t.victim("deep"), str(rank + 1)], directory=directory), {"RANK": rank, "WORLD_SIZE": 2, **known})
                   for rank in (0, 1)]
        results = [each.wait(60) for each in started]
        for result in results:
            t.equal(result.status, 0, f"{known}: {result}")
            if not known:
                t.said(result, "This run is recorded into", os.path.basename(directory) + ".")
        if known:
            recording = t.finish(results[0], directory)
            t.equal(recording.ranks(), [0, 1])
            t.equal(len(recording.trace(1).ranges()), 3, "ranges of rank 1")
        else:
            t.check(os.path.exists(directory + ".3"), "two processes of no known job share a directory")
