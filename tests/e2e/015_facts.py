# SPDX-License-Identifier: Apache-2.0
"""Who ran, how it ended and where: in the manifest, with the arguments only if the user lets them
be recorded."""

import json

LABELS = ("sanitized",)


def test(t):
    secret = "--token=s3cret"
    recording = t.record([t.victim("exec_chain"), "0", secret])
    t.check(secret in json.dumps(recording.manifest()), f"{recording.manifest()}")
    [process] = recording.manifest()["processes"]
    t.equal((process["exit"]["kind"], process["exit"]["value"]), ("exited", 4), "exit")
    t.check(process["executable"].endswith("/exec_chain"), f"{process}")
    recording = t.record([t.victim("exec_chain"), "0", secret], options=["--no-command-line"])
    for rank in (json.dumps(recording.manifest()), recording.trace().text):
        t.check("s3cret" not in rank, "the arguments were recorded")
    bare = t.run([t.victim("endings"), "segv"])  # a sanitizer's own handler exits
    segv = ("exited", bare.status) if bare.ending.startswith("status") else ("signaled", 11)
    for how, wanted in (("segv", segv), ("abort", ("signaled", 6)), ("exit7", ("exited", 7))):
        [process] = t.record([t.victim("endings"), how], killed=True).manifest()["processes"]
        t.equal((process["exit"]["kind"], process["exit"]["value"]), wanted, how)
        t.equal((process["ranges"], process["ranges_closed"]), (3, 2), how)
