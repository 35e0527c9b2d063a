# SPDX-License-Identifier: Apache-2.0
"""Scripts with and without an interpreter line run as a shell would run them; stdin is the
program's."""

import os
import subprocess


def test(t):
    for name, first in (("with", "#!/bin/sh\n"), ("without", "")):
        with open(t.path(name), "w") as file:
            file.write(f"{first}echo $0 $1; exec {t.victim('exec_chain')} 1\n")
        os.chmod(t.path(name), 0o755)
    recording = t.transparent([t.path("with"), "argument"])
    t.counted(recording.trace().names(), {"closed 0": 1, "closed 1": 1})
    recording = t.record([t.path("without"), "argument"])
    t.check(recording.ending == "status 4" and b"argument" in recording.out, f"{recording}")
    with open(t.path("input"), "wb") as file:
        file.write(b"from stdin\n" * 1000)
    with open(t.path("input"), "rb") as file:
        result = subprocess.run(
            t.launch(["cat"]),
            stdin=file,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=t.environment(t.mode_environment()),
            timeout=30,
        )
    t.equal(result.stdout, b"from stdin\n" * 1000, "stdin")
