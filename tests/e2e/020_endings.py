# SPDX-License-Identifier: Apache-2.0
"""However a program ends, its output, status and signal are its own, and all its ranges are in the
trace."""

LABELS = ("thin", "endings")
HOW = [
    "return",
    "exit7",
    "exit255",
    "atexit",
    "abort",
    "segv",
    "fpe",
    "sigterm",
    "handled",
    "_exit",
    "_Exit",
    "quick_exit",
    "thread_exit",
    "thread_segv",
    "thread_outlives",
]
MORE = {
    "atexit": "atexit",
    "handled": "handler",
    "thread_exit": "thread",
    "thread_segv": "thread",
    "thread_outlives": "thread",
}


def test(t):
    for how in HOW:
        recording = t.transparent(
            [t.victim("endings"), how],
            killed=how in ("abort", "segv", "fpe", "sigterm", "thread_segv"),
        )
        trace = recording.trace()
        wanted = {"closed": 1, "open": 1, "open inside": 1}
        if how in MORE:
            wanted[MORE[how]] = 1
        t.counted(trace.names(), wanted)
        t.check("open > open inside" in trace.paths(), f"{how}: {trace.paths()}")
