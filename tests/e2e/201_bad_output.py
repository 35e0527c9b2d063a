# SPDX-License-Identifier: Apache-2.0
"""An output directory that cannot be made or written: the program runs unrecorded and that is told. One that
another run holds: said before the program would run."""

import os


def test(t):
    hello = t.victim("hello")
    with open(t.path("file"), "w"):
        pass
    os.mkdir(t.path("read_only"))
    command = t.launch([hello], directory=t.path("file") + "/below")
    bare = t.run([hello])
    runs_unrecorded(t, t.run(command), bare, "file/below", "-o")
    command = t.launch([hello], directory="/proc/nowhere")
    runs_unrecorded(t, t.run(command), bare, "/proc/nowhere", "-o")
    if os.geteuid() == 0:
        inner = " ".join(t.launch([hello], directory=t.path("read_only/run")))
        result = t.run(
            [
                "unshare",
                "-m",
                "sh",
                "-c",
                f"mount -t tmpfs -o ro tmpfs {t.path('read_only')}; exec {inner}",
            ]
        )
        runs_unrecorded(t, result, bare, "read_only", "-o")
    first = t.record([t.victim("deep"), "1"])
    again = t.run(t.launch([hello], directory=first.directory), t.mode_environment())
    t.equal(again.status, 125, f"a second run into the same directory: {again}")
    t.said(again, "--force")
    t.equal(first.trace().names(), ["level 0", "afterwards"])
    forced = t.run(
        t.launch([t.victim("deep"), "2"], ["--force"], first.directory), t.mode_environment()
    )
    t.equal(forced.status, 0)
    t.equal(first.trace().names(), ["level 0", "level 1", "afterwards"])


def runs_unrecorded(t, result, bare, *words):
    t.equal((result.out, result.ending), (bare.out, bare.ending), f"{result}")
    t.said(result, "nothing is recorded", *words)
