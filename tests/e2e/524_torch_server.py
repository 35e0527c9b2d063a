# SPDX-License-Identifier: Apache-2.0
"""Threads with a stream each: every request's work is on the stream and under the thread of the server that took it, and the waits for
their events are found."""

LABELS = ("gpu", "torch")
TIMEOUT = 240
REQUESTS, THREADS = 24, 3


def test(t):
    recording, judged = t.record_torch("server", str(REQUESTS), str(THREADS), env={"SIMGPU_DURATIONS": "*=300us"})
    served = [row for row in judged.launched if row["stream"] != 7]
    streams = {}
    for row in served:
        streams.setdefault(row["thread"], set()).add(row["stream"])
    t.check(1 <= len(streams) <= THREADS and all(len(of) == 1 for of in streams.values()), f"streams of threads: {streams}")
    requests = [name for name in judged.staged if name.endswith(" > compute")]
    t.equal(len(requests), REQUESTS, "requests that computed")
    waits = [wait.args["class"] for wait in judged.waits("answer")]
    t.equal(waits, ["event"] * REQUESTS, "waits for events")
    recording, judged = t.record_torch("server", "8", "1", "--poll", env={"SIMGPU_DURATIONS": "*=3ms"})
    waits = [wait.args["class"] for wait in judged.waits("answer")]
    t.equal(waits, ["query_spin"] * 8, "waits of who asks again and again")
