# SPDX-License-Identifier: Apache-2.0
"""Times are on one clock: a range of 50 ms is that long, and stands where the wall clock says."""

import time

PROGRAM = "import nvtx, time\nwith nvtx.annotate('sleep'): time.sleep(0.05)"


def test(t):
    python = t.venv("torch")
    before = time.time_ns()
    trace = t.record([python, "-c", PROGRAM]).trace()
    after = time.time_ns()
    base = trace.document["baseTimeNanoseconds"]
    [r] = trace.ranges(name="sleep")
    t.check(50_000_000 <= r.end - r.begin < 500_000_000, f"{r}")
    t.check(
        before <= base + r.begin and base + r.end <= after,
        f"{before} {base + r.begin} {base + r.end} {after}",
    )
