# SPDX-License-Identifier: Apache-2.0
"""A program that records nothing gets no thread, no descriptor and no file; the user is told. One
that has a rank is in the rank's trace all the same, and that loads."""

import os

RANK = {"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "1"}


def test(t):
    recording = t.transparent([t.victim("proc_self"), "silent"], complete=False)
    t.said(recording, "nothing was recorded")
    t.equal(recording.ranks(), [], "traces")
    command = ["/bin/sh", "-c", "ls / | sort | head -3; echo err >&2; exit 3"]
    t.transparent(command, complete=False)
    recording = t.transparent([t.victim("proc_self"), "silent"], env=RANK)
    t.equal(recording.trace().ranges(), [], "ranges")
    t.equal(len(recording.trace().slices()), 1, "the life of the process")
    t.equal(recording.losses(), {}, "losses")
    t.check(not os.path.exists(os.path.join(recording.directory, "run", "spool")), f"{recording}")
