# SPDX-License-Identifier: Apache-2.0
"""Budgets of disk and memory hold, and what does not fit is counted and told."""

LABELS = ("fault",)


def test(t):
    for options, ranges, threads, word in (
        (["--disk-process", "1M"], 200000, 2, "--disk-process"),
        (["--memory-process", "1M"], 20000, 40, "--memory-process"),
    ):
        result = t.record([t.victim("fast"), str(ranges), str(threads)], options=options)
        lost = result.losses()
        found = len(result.trace().ranges()) + sum(lost.values())
        # What defines names and threads is counted too when it is lost.
        t.check(
            0 <= found - ranges * threads <= 50 * threads,
            f"{options}: recorded and lost {found} of {ranges * threads}, {lost}",
        )
        if lost:
            t.said(result, word)
    result = t.record([t.victim("fast"), "200000", "2"], options=["--disk-process", "1M"])
    t.check(result.losses(), "2 times 200000 ranges cannot fit into 1 MiB")
    if t.mode == "launcher":  # told when it happens, not only at the end
        t.said(result, "have reached their budget", "--disk-process")
        result = t.record([t.victim("fast"), "3000", "1", "1000"], options=["--memory-node", "4K"])
        t.said(result, "of memory: rings grow no more", "--memory-node")
    result = t.record([t.victim("fast"), "1000", "1"], options=["--memory-node", "100K"])
    lost = result.losses()
    t.equal(
        len(result.trace().ranges()) + sum(lost.values()), 1000, f"node: recorded + lost {lost}"
    )
