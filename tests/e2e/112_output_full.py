# SPDX-License-Identifier: Apache-2.0
"""The output directory fills up during the run: the program goes on, the loss is told with what
prevents it."""

import os

LABELS = ("fault",)


def test(t):
    t.need_root()
    os.mkdir(t.path("small"))
    directory = t.path("small/run")
    inner = " ".join(
        t.launch([t.victim("fast"), "2000000", "1"], ["--disk-reserve", "0"], directory)
    )
    script = f"mount -t tmpfs -o size=3m tmpfs {t.path('small')}; {inner}; status=$?; cp -r {directory} {t.path('kept')}; exit $status"
    result = t.record_command(["unshare", "-m", "sh", "-c", script], directory, complete=False)
    t.equal((result.out, result.ending), (b"done\n", "status 0"))
    t.said(result, "space", "-o")
    import trace_check

    for name in os.listdir(t.path("kept")):
        if name.endswith((".json", ".gz")):
            t.equal(trace_check.check_trace(os.path.join(t.path("kept"), name)), [], name)
