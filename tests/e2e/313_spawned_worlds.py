# SPDX-License-Identifier: Apache-2.0
"""Ranks that MPI_Comm_spawn started, under Open MPI and hydra: each has a trace and a row of its own; where they get nothing of ours, that is told."""

import sys

LABELS = ("mpi", "thin")
MODES = ("launcher",)
# What MPICH says to its launcher; Debian's build of it cannot spawn.
PMI = """import os, sys
pmi = os.fdopen(int(os.environ["PMI_FD"]), "r+b", buffering=0)
def ask(text):
    pmi.write(text.encode())
    return pmi.readline()
ask("cmd=init pmi_version=1 pmi_subversion=1\\n")
if os.environ["PMI_RANK"] == "0":
    done = ask(f"mcmd=spawn\\nnprocs=2\\nexecname={sys.argv[1]}\\ntotspawns=1\\nspawnssofar=1\\nargcnt=1\\narg1=5\\npreput_num=0\\ninfo_num=0\\nendcmd\\n")
    assert b"rc=0" in done, done
ask("cmd=finalize\\n")"""


def check_worlds(t, recording, first, second, what):
    t.equal(recording.ranks(), [0, 1], f"{what}: {recording}")
    spawned = [f"{rank}-spawn-1" for rank in (0, 1)]
    names = [f"rank-{rank}" for rank in spawned]
    for rank in (0, 1):
        t.equal(recording.manifest(rank)["ranges"], first, f"{what}: {recording.manifest(rank)}")
        t.equal(recording.manifest(spawned[rank])["ranges"], second, f"{what}: {recording}")
    t.check("; of ranks that MPI_Comm_spawn started: " + " and ".join(f"run/{name}.trace.json.gz" for name in names) in recording.said[0],
            f"{what}: {recording.said}")
    report = t.run([t.syncline, "report", recording.directory]).out.decode()
    for name in ("rank-0", "rank-1", *names):
        t.check(f"\n{name} " in report.replace("\n  ", "\n"), f"{what}: {name}: {report}")


def test(t):
    mpirun = [t.need("mpirun.openmpi"), "--allow-run-as-root", "--oversubscribe", "-n", "2"]
    program = [t.victim("mpi_spawn")]
    recording = t.record([*mpirun, *program])
    check_worlds(t, recording, 3, 5, "Open MPI")
    t.check("MPI_Comm_spawn started 2" not in str(recording.said), str(recording.said))

    ranks = [sys.executable, "-c", PMI, t.victim("deep")]
    recording = t.record([t.need("mpiexec.mpich"), "-n", "2", "sh", "-c", '"$0" 3 && exec "$@"', t.victim("deep"), *ranks])
    check_worlds(t, recording, 3 + 1, 5 + 1, "hydra")

    directory = t.new_directory()
    recording = t.record_command([*mpirun, *t.launch(program, (), directory)], directory, timeout=100)
    t.equal(recording.ranks(), [0, 1], str(recording))
    t.check("MPI_Comm_spawn started 2 processes of mpi_spawn: nothing of them is recorded" in str(recording.said), str(recording.said))
    report = t.run([t.syncline, "report", directory]).out.decode()
    t.check("`syncline -- mpirun ... PROGRAM`" in " ".join(report.split()), report)
