# SPDX-License-Identifier: Apache-2.0
"""8 MiB on stdout and 1 MiB on stderr arrive byte by byte, to files and to pipes."""

import subprocess


def test(t):
    t.transparent([t.victim("big_stdout")])
    program = [t.victim("big_stdout")]
    piped = subprocess.run(
        t.launch(program),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=t.environment(t.mode_environment()),
        timeout=60,
    )
    t.equal(piped.stdout, t.run(program).out, "stdout through a pipe")
