# SPDX-License-Identifier: Apache-2.0
"""Static and musl programs run untouched; the user is told why nothing is recorded of them. What is recorded gets no such warning: a static program
that opens a door by itself, the loader with a program."""

import os

LOADER = "/lib64/ld-linux-x86-64.so.2"


def test(t):
    # A thread of ours in a static program would be another C library's.
    commands = [[t.victim("deep_static"), "1"]] if t.mode == "launcher" else []
    if os.path.exists(LOADER):
        commands.append([LOADER, t.victim("deep"), "1"])
    for command in commands:
        recording = t.transparent(command)
        t.check(recording.trace().ranges(), f"nothing was recorded of {command}")
        t.check(not any("static" in line for line in recording.said), f"{recording}")

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
