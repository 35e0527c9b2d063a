# SPDX-License-Identifier: Apache-2.0
"""The output directory fills up during the run: the program goes on, the loss is told with what
prevents it. Where space is freed later each range is in the trace or in one count."""

import os
import shlex

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
    for when in ("while it runs", "after its end"):
        space_comes_back(t, when)


# A launcher wants a megabyte to begin with; then little is free. The rest comes back when ranges were lost for want of it. Each
# range is in the trace or counted, once.
RANGES = 12000
SCRIPT = """mount -t tmpfs -o size=4m tmpfs {small}
{inner}; status=$?; rm -f {small}/filler; sleep 0.2; {recover} >/dev/null 2>&1; cp -r {small}/again {kept}; exit $status"""


def space_comes_back(t, when):
    small, kept = t.path("small"), t.path("kept " + when)
    program = ["sh", "-c", 'head -c 3950K /dev/zero >"$0"; exec "$@"', f"{small}/filler", t.victim("fast"), str(RANGES), "1", "100"]
    # Half of the ranges are far more than a ring holds: some are lost before the program itself makes room.
    program += [f"{small}/filler"] if when == "while it runs" else []
    inner = t.launch(program, ["--disk-reserve", "0", "--memory-ring", "16K"], f"{small}/again")
    script = SCRIPT.format(small=small, kept=shlex.quote(kept), inner=shlex.join(inner),
                           recover=f"{t.syncline} recover {small}/again")
    result = t.run(["unshare", "-m", "sh", "-c", script], t.mode_environment())
    t.equal((result.out, result.ending), (b"done\n", "status 0"), f"{result}")
    recording = t.finish(result, kept)
    shown, losses = len(recording.trace().ranges(name="fast")), recording.losses()
    t.equal(shown + sum(losses.values()), RANGES, f"{when}: {shown} and {losses}\n{recording}")
    # Of a process that drains itself nobody may see the very last loss while it lives.
    t.check(losses.pop("disk_full", 0) > 0 and losses in ({}, {"ring_full": 1}), f"{when}: {shown} and {losses} more\n{recording}")
