# SPDX-License-Identifier: Apache-2.0
"""10,000 threads that live at once record inside the default budget; where the budget ends, the others are counted and cost
the program little."""

LABELS = ("fault",)
THREADS, ROUNDS, NESTED = 10000, 10, 40


def test(t):
    if b"pthread_create" in t.run([t.victim("threads"), "living", str(THREADS), "1"]).err:
        t.skip(f"no {THREADS} threads may be started here (ulimit -u, or the container's limit of pids)")
    recording = t.record([t.victim("threads"), "living", str(THREADS), str(ROUNDS)])
    t.equal(recording.losses(), {}, "losses")
    nested = THREADS // 10 * NESTED + (THREADS - THREADS // 10)
    t.counted(recording.trace().names(), {"living": THREADS * ROUNDS, "nested": nested})

    # 1,000 pairs of each of some 9,700 threads without a ring: minutes, if each of them asked for one each time.
    recording = t.record([t.victim("threads"), "living", str(THREADS), "1000"], options=["--memory-process", "4M"], timeout=60)
    lost = sum(recording.losses().values())
    t.equal(len(recording.trace().ranges()) + lost, THREADS * 1000 + nested, f"recorded and lost: {recording.losses()}")
    t.check(recording.losses()["no_ring"] > lost // 2, f"{recording.losses()}")
    t.said(recording, "no ring was left for the thread (raise --memory-process")
