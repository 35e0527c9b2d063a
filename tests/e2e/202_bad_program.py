# SPDX-License-Identifier: Apache-2.0
"""No such program 127, not executable 126, as every shell says it."""

import os


def test(t):
    with open(t.path("plain"), "w") as file:
        file.write("text\n")
    for program, status, words in (
        (["no-such-program-at-all"], 127, ["no-such-program-at-all", "no such program"]),
        ([t.path("missing")], 127, ["missing"]),
        ([t.path("plain")], 126, ["plain", "execut"]),
        ([t.directory], 126, [os.path.basename(t.directory)]),
    ):
        result = t.run(t.launch(program), t.mode_environment())
        t.equal((result.status, result.out), (status, b""), f"{program}")
        t.said(result, *words)
    with open(t.path("bad_interpreter"), "w") as file:
        file.write("#!/no/such/interpreter\n")
    os.chmod(t.path("bad_interpreter"), 0o755)
    result = t.run(t.launch([t.path("bad_interpreter")]), t.mode_environment())
    t.check(result.status in (126, 127), f"{result}")
    t.said(result, "/no/such/interpreter")
