# SPDX-License-Identifier: Apache-2.0
"""Programs started with stdin, stdout or stderr closed find them closed, and nobody writes into
their files."""


def test(t):
    for closed in ("0<&-", "1>&-", "2>&-", "0<&- 1>&- 2>&-"):
        command = "exec " + " ".join(t.launch([t.victim("proc_self"), "silent"])) + f" {closed}"
        result = t.run(["/bin/sh", "-c", command], t.mode_environment())
        bare = t.run(["/bin/sh", "-c", f"exec {t.victim('proc_self')} silent {closed}"])
        t.equal(result.ending, bare.ending, closed)
        if "1>&-" not in closed:
            t.equal(result.out, bare.out, closed)
