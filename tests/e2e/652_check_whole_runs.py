# SPDX-License-Identifier: Apache-2.0
"""A contract is held against whole runs only: not where a rank is missing, where the program failed, or where its file is cut; and how a line of a
file may be written."""

MODES = ("launcher",)
LABELS = ("core",)
ANY = "lost_records <= 0"


def test(t):
    program = t.victim("nvtx_c")
    good = t.record([program]).directory
    holds(t, good, "--that", ANY)
    holds(t, good, "--file", written(t, "\ufeff# all\n" + ANY + "  # none is lost\n\n"))
    half = t.record([program], env={"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_LOCAL_RANK": "0"}).directory
    refused(t, half, b"of 2 ranks only 1 have findings", "--that", ANY)
    killed = t.record([t.victim("endings"), "exit7"], killed=True).directory
    refused(t, killed, b"the program did not end well", "--that", ANY)
    refused(t, good, b"is larger than 1 MiB", "--file", written(t, ANY + "\n" + "#\n" * (1 << 19) + "lost_records < 0\n"))


def written(t, text):
    path = t.path(f"contract{len(text)}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def holds(t, run, *that):
    done = t.run([t.syncline, "check", run, *that])
    t.equal((done.ending, done.out.startswith(b"holds")), ("status 0", True), f"{done}")


def refused(t, run, why, *that):
    done = t.run([t.syncline, "check", run, *that])
    t.equal((done.ending, done.out, why in done.err), ("status 125", b"", True), f"{done}")
