# SPDX-License-Identifier: Apache-2.0
"""Static and musl programs run untouched; the user is told why nothing is recorded of them."""


def test(t):
    for victim, word in (
        ("hello_static", "static"),
        ("hello_musl", "musl"),
        ("hello_musl_static", "static"),
    ):
        bare = t.run([t.victim(victim), "a", "b"])
        recording = t.record([t.victim(victim), "a", "b"], complete=False)
        t.equal((recording.out, recording.err, recording.ending), (bare.out, bare.err, bare.ending))
        t.said(recording, word)

    # Below a program that is recorded they inherit LD_PRELOAD: musl's loader takes our library where the path has no $PLATFORM, and must
    # miss nothing in it.
    for victim in ("hello_static", "hello_musl", "hello_musl_static"):
        t.transparent(["sh", "-c", '"$@"; "$0" 2', t.victim("deep"), t.victim(victim), "a", "b"])
        bare, plain = (t.run([t.victim(victim), "a", "b"], env) for env in ({}, {"LD_PRELOAD": t.library}))
        t.equal((plain.out, plain.err, plain.ending), (bare.out, bare.err, bare.ending), victim)
