# SPDX-License-Identifier: Apache-2.0
"""The output directory fills up during the run: the program goes on, the loss is told with what
prevents it. Where space is freed meanwhile nothing is lost that found room in memory."""

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
    if t.mode == "launcher":
        space_comes_back(t)


# One megabyte is free; the rest comes back when the launcher has said that there is none.
FREE = "(for _ in $(seq 200); do grep -q 'is full: records wait' {log} && break; sleep 0.1; done; rm {filler}) >/dev/null 2>&1 &"
RANGES = 60000


def space_comes_back(t):
    small, log, filler = t.path("small"), t.path("log"), t.path("small/filler")
    inner = " ".join(t.launch([t.victim("fast"), str(RANGES), "1", "100"], ["--disk-reserve", "0"], t.path("small/again")))
    script = f"mount -t tmpfs -o size=7m tmpfs {small}; head -c 6m /dev/zero >{filler}; {FREE.format(log=log, filler=filler)}"
    script += f"{inner} 2>{log}; status=$?; cat {log} >&2; cp -r {small}/again {t.path('kept_again')}; exit $status"
    result = t.run(["unshare", "-m", "sh", "-c", script])
    t.equal((result.out, result.ending), (b"done\n", "status 0"), f"{result}")
    recording = t.finish(result, t.path("kept_again"))
    t.equal((len(recording.trace().ranges(name="fast")), recording.losses()), (RANGES, {}), f"{recording}")
