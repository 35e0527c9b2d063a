# SPDX-License-Identifier: Apache-2.0
"""Push and pop around an await swap names: it is noticed and told with the remedy. Recursion and start/end ranges are not told."""

import json

LABELS = ("python",)
MODES = ("launcher",)


def test(t):
    for how in ("tasks", "started", "recursion", "plain"):
        told = [line for line in problems_of(t, how) if "asyncio" in line]
        t.equal(len(told), 1 if how == "tasks" else 0, f"{how}: {told}")
        if told:
            t.check("`read`" in told[0] and "`write`" in told[0], told[0])
            t.check("nvtx.start_range" in told[0] and "torch.cuda.nvtx.range_start" in told[0], told[0])


def problems_of(t, how):
    recording = t.record([t.venv("torch"), t.victim("awaiting_tasks.py"), how])
    report = json.loads(t.run([t.syncline, "report", recording.directory, "--format", "json"]).out)
    t.check(report["stages"], f"{how}: nothing was recorded")
    return report["health"]
