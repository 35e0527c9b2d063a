# SPDX-License-Identifier: Apache-2.0
"""A process that takes its memory away or spoils what it shares harms neither the launcher nor what other users' processes record."""

import os
import shutil
import tempfile

MODES = ("launcher",)
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def neighbour(t, way, user=()):
    """What is recorded of a program beside it; that one begins when its first lines are there."""
    lines = "read accepted; read cut; echo $accepted $cut >&2"
    program = f'"$0" "$@" | ({lines}; {t.victim("fast")} 20000 1)'
    return t.record(["sh", "-c", program, *user, HOME + "/bad_neighbour", way])


def test(t):
    t.need_root()
    t.need("setpriv")
    global HOME
    HOME = tempfile.mkdtemp(dir="/tmp")  # the scratch folder is root's alone
    os.chmod(HOME, 0o755)
    try:
        os.chmod(shutil.copy(t.victim("bad_neighbour"), HOME), 0o755)
        for way, user, answers, words in (("unsealed", NOBODY, "accepted: no cut: yes", ["uid 65534", "could take away again"]),
                                          ("doorbell", NOBODY, "accepted: yes cut: no", []),
                                          ("unsealed", (), "accepted: yes cut: yes", ["was cut short"])):
            recording = neighbour(t, way, user)
            t.equal(recording.ending, "status 0", f"{way}: {recording}")
            t.check(answers in recording.err.decode(), f"{way} by {user or 'root'}: {recording}")
            if words:
                t.said(recording, *words)
            t.counted(recording.trace().names(), {"fast": 20000})
            lost = {kind: count for kind, count in recording.losses().items() if kind != "damaged"}
            t.equal(lost, {}, f"{way}: losses")
    finally:
        shutil.rmtree(HOME, ignore_errors=True)
