# SPDX-License-Identifier: Apache-2.0
"""Several jobs in one run: the ranks of each have traces and rows of their own, and the lines say that there are two. Attempts of a job, agents
of several nodes and programs of one rank are of one job."""

import json

LABELS = ("mpi",)
# A job as torchrun starts it: which folder, attempt, port, first rank, ranges.
JOB = """job() {
  for rank in $4 $(($4 + 1)); do
    RANK=$rank WORLD_SIZE=${WORLD:-2} LOCAL_RANK=$rank TORCHELASTIC_RUN_ID=none MASTER_ADDR=localhost MASTER_PORT=$3 \\
      TORCHELASTIC_RESTART_COUNT=$2 TORCHELASTIC_ERROR_FILE=/tmp/x/none_$1/attempt_$2/$rank/error.json "$deep" $5 || exit
  done
}
deep=$0
"""
NOTE = "2 jobs ran, and this is the one with the most ranks"


def record(t, script):
    recording = t.record(["bash", "-c", JOB + script, t.victim("deep")])
    t.equal(recording.ending, "status 0", str(recording))
    report = t.run([t.syncline, "report", recording.directory]).out.decode()
    return recording, " ".join(report.split())


def counts(t, recording, expected):
    """`deep N` makes N ranges and one afterwards."""
    found = {rank: recording.manifest(rank)["ranges"] - 1 for rank in expected}
    t.equal(found, expected, str(recording))


def two_jobs(t):
    for script in ("job a 0 29500 0 2; job b 0 29500 0 3", "job a 0 29500 0 2 & sleep 1; job b 0 29501 0 3; wait"):
        recording, report = record(t, script)
        t.equal(recording.ranks(), [0, 1], str(recording))
        counts(t, recording, {0: 2, 1: 2, "0-job-2": 3, "1-job-2": 3})
        t.check("; of another job: run/rank-0-job-2.trace.json.gz and run/rank-1-job-2.trace.json.gz" in recording.said[0], str(recording.said))
        t.check(f"rank-0: {NOTE}" in report and "rank-1-job-2 " in report, report)
        rows = json.loads(t.run([t.syncline, "report", recording.directory, "--format", "json", "--all"]).out)
        t.equal({row["name"]: row["count"] for row in rows["stages"]}["level 2"], 2, "the sums are of all ranks")


def one_job(t):
    recording, report = record(t, "job a 0 29500 0 2; job a 1 29501 0 3")
    counts(t, recording, {0: 3, 1: 3, "0-attempt-0": 2, "1-attempt-0": 2})
    t.check("job-2" not in str(recording.said) and NOTE not in report, str(recording))
    recording, report = record(t, "WORLD=4; job a 0 29500 0 2; job b 0 29500 2 3")
    t.equal(recording.ranks(), [0, 1, 2, 3], str(recording))
    counts(t, recording, {0: 2, 1: 2, 2: 3, 3: 3})
    t.check(NOTE not in report, report)


def mpi(t):
    mpirun = f"{t.need('mpirun.openmpi')} --allow-run-as-root --oversubscribe"
    recording, report = record(t, f"{mpirun} -n 2 $deep 2; {mpirun} -n 3 $deep 4")
    t.equal(recording.ranks(), [0, 1, 2], str(recording))
    counts(t, recording, {0: 4, 1: 4, 2: 4, "0-job-1": 2, "1-job-1": 2})
    t.check(NOTE in report, report)
    recording, report = record(t, f"{mpirun} -n 2 sh -c '$0 2; $0 3' $deep")
    t.equal(recording.ranks(), [0, 1], str(recording))
    counts(t, recording, {0: 6, 1: 6})
    t.check("another job" not in str(recording.said) and NOTE not in report, report)


def test(t):
    two_jobs(t)
    one_job(t)
    mpi(t)
