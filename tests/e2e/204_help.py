# SPDX-License-Identifier: Apache-2.0
"""help, --version, options and doctor answer on stdout with status 0."""

LABELS = ("sanitized",)


def test(t):
    for arguments, word in (
        (["help"], "run"),
        (["--help"], "run"),
        (["--version"], "syncline"),
        (["options"], "memory"),
        (["doctor"], "nvtx"),
        (["doctor"], "ns a reading, in steps of"),
        (["doctor"], "lines            elfutils' libdw is"),
        (["help", "run"], "--output"),
        (["help", "recover"], "recover"),
        (["help", "report"], "--kernel-classes"),
        (["run", "--help"], "--output"),
    ):
        result = t.run([t.syncline, *arguments])
        t.equal(result.status, 0, f"{arguments}: {result}")
        t.check(word in result.out.decode().lower(), f"{arguments}: no {word!r} in {result}")
        t.equal(result.err, b"", f"stderr of {arguments}")
    result = t.run([t.syncline, "help", "nonsense"])
    t.check(result.status not in (0, None), f"{result}")
