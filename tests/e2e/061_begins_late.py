# SPDX-License-Identifier: Apache-2.0
"""A process that begins to record while the traces are written records by itself: it is named, and recover adds what it has."""

MODES = ("launcher",)
LATE = 'while [ ! -e "$1"/rank-0.trace.json.gz.tmp ]; do sleep 0.01; done; exec "$2" 2'


def test(t):
    directory = t.new_directory()
    program = f"({LATE}) >/dev/null & exec \"$3\" 3000000 1"
    command = ["sh", "-c", program, "sh", directory, t.victim("deep"), t.victim("fast")]
    recording = t.record_command(t.launch(command, ["--memory-ring", "64M"], directory), directory, leaves=True, complete=False)
    t.said(recording, "began to record while the traces were written: deep", "syncline recover")
    found = t.until(lambda: t.run([t.syncline, "recover", directory]), "recovered")
    t.equal(found.status, 0, f"{found}")
    t.check(b"rank-0-late-1.trace.json.gz" in found.err, f"{found}")
