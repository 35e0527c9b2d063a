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
    for size_mb in (4, 10):
        reserve_stays(t, size_mb)
    for when in ("while it runs", "after its end"):
        space_comes_back(t, when)


def reserve_stays(t, size_mb):
    """A tenth of a small file system stays free of records, while the program runs and behind its end. What found no room is counted."""
    ranges, small, kept, told = 400000, t.path("small"), t.path(f"kept {size_mb}"), t.path(f"told {size_mb}")
    free = 'stat -f -c "%a %S" "$1" >>"$2"'
    program = ["sh", "-c", f'"$0" {ranges} 1; status=$?; sleep 0.5; {free}; exit $status', t.victim("fast"), small, told]
    inner = shlex.join(t.launch(program, (), f"{small}/reserve"))
    spools = f"find {small} -name '*.spool' -printf '%s\\n'"
    script = f"mount -t tmpfs -o size={size_mb}m tmpfs {small}; {inner}; status=$?; {spools} >>{shlex.quote(told)}; cp -r {small}/reserve {shlex.quote(kept)}; exit $status"
    result = t.run(["unshare", "-m", "sh", "-c", script], t.mode_environment())
    t.equal((result.out, result.ending), (b"done\n", "status 0"), f"{result}")
    with open(told, encoding="ascii") as file:
        (blocks, size), *left = [[int(word) for word in line.split()] for line in file]
    whole = size_mb << 20
    t.check(blocks * size >= whole * 0.09, f"{blocks * size} of {whole} are free at the program's end")
    t.check(sum(number for (number,) in left) <= whole * 0.91, f"{left} of {whole} are records")
    t.run([t.syncline, "recover", kept])
    recording = t.finish(result, kept)
    lost = recording.losses()
    t.equal(len(recording.trace().ranges(name="fast")) + sum(lost.values()), ranges, f"{lost}\n{recording}")
    t.check(lost.get("disk_full"), f"{lost}")


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
