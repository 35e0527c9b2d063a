# SPDX-License-Identifier: Apache-2.0
"""A run during which other programs had the processors is marked; a run that is named twice is none; options stand where one likes."""

import json
import os
import time

LABELS = ("core",)
MODES = ("launcher",)


def test(t):
    program = [t.victim("nvtx_c")]
    quiet = t.record(["/bin/sh", "-c", f"{program[0]}; sleep 0.1"]).directory
    busy = [t.start(["/bin/sh", "-c", "while :; do :; done"]) for _ in range(2 * os.cpu_count())]
    time.sleep(0.2)
    loaded = t.record(["/bin/sh", "-c", f"{program[0]}; sleep 0.5"]).directory
    for process in busy:
        process.process.kill()
        process.process.wait()
    done = t.run([t.syncline, "compare", quiet, "--", loaded, "--format", "json"])
    t.equal(done.ending, "status 0", f"{done}")
    notes = json.loads(done.out)["notes"]
    t.check(any(note.startswith(os.path.basename(loaded)) and "other programs used" in note for note in notes), f"{notes}")
    twice = t.run([t.syncline, "compare", quiet, quiet, "--", loaded])
    t.equal((twice.ending, b"named twice" in twice.err), ("status 125", True), f"{twice}")
    for words, why in ((["compare", quiet], b"name two runs"), (["compare", quiet, "--"], b"on each side of --"), (["compare", quiet, loaded, "--format", "csv"], b"no format csv")):
        done = t.run([t.syncline, *words])
        t.equal((done.ending, done.out, why in done.err), ("status 125", b"", True), f"{words}: {done}")
