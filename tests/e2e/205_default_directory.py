# SPDX-License-Identifier: Apache-2.0
"""Without -o a run's directory is named after the program, and `latest` points to it."""

import os


def test(t):
    os.mkdir(t.path("work"))
    for _ in range(2):
        result = t.run(
            [t.syncline, "--", t.victim("deep"), "1"], t.mode_environment(), cwd=t.path("work")
        )
        t.equal(result.status, 0, f"{result}")
    names = sorted(n for n in os.listdir(t.path("work/syncline-out")) if n != "latest")
    t.check(len(names) == 2 and all(n.startswith("deep-") for n in names), f"{names}")
    latest = os.path.realpath(t.path("work/syncline-out/latest"))
    t.check(os.path.basename(latest) in names, latest)
    t.equal(os.stat(latest).st_mode & 0o777, 0o700, "mode")
    last = os.path.basename(latest)
    for command in (["report"], ["findings"]):
        result = t.run([t.syncline, *command], cwd=t.path("work"))
        t.equal(result.status, 0, f"{result}")
        t.said(result, f"the last run: syncline-out/{last}")
        t.check(last.encode() in result.out, f"{result}")
    os.unlink(t.path("work/syncline-out/latest"))
    t.said(t.run([t.syncline, "report"], cwd=t.path("work")), f"the last run: syncline-out/{last}")
    for command in ("report", "findings", "view"):
        result = t.run([t.syncline, command], cwd=t.path("."))
        t.equal(result.status, 125, f"{result}")
        t.said(result, "no directory is named, and there is no run in ./syncline-out")
    import trace_check

    t.equal(trace_check.check_directory(latest), [])
