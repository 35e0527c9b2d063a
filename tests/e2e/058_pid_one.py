# SPDX-License-Identifier: Apache-2.0
"""As the first process of a container syncline reaps the orphans that become its children."""

MODES = ("launcher",)
ORPHANS = "for i in 1 2 3 4 5 6 7 8 9 10; do (sleep 0.05 &) ; done; sleep 0.5; cat /proc/[0-9]*/stat | grep -c ') Z ' ; true"


def test(t):
    t.need_root()
    directory = t.new_directory()
    command = [t.need("unshare"), "--pid", "--fork", "--mount-proc", *t.launch(["sh", "-c", ORPHANS], directory=directory)]
    recording = t.record_command(command, directory, complete=False)
    t.equal(recording.ending, "status 0", f"{recording}")
    t.equal(recording.out.split(), [b"0"], f"zombies: {recording}")
