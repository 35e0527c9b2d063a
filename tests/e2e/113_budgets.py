# SPDX-License-Identifier: Apache-2.0
"""Budgets of disk and memory hold, and what does not fit is counted and told."""

LABELS = ("fault",)


def test(t):
    said = t.mode == "launcher"  # it tells when it happens, not only at the end
    lost, result = budget(t, "--disk-process", "1M", 200000, 2)
    # A spool takes whole blocks, and what a ring had no room for meanwhile is lost too.
    t.check(lost.get("disk_full") and set(lost) <= {"disk_full", "ring_full"}, f"disk: {lost}")
    t.said(result, f"{lost['disk_full']:,}", "--disk-process")
    if said:
        t.said(result, "have reached their budget", "--disk-process")
    lost, result = budget(t, "--memory-process", "1M", 20000, 40)
    t.check(lost and set(lost) <= {"no_ring", "ring_full"}, f"memory: {lost}")
    t.check("rings_stopped_growing" in result.manifest()["degraded"], f"{result.manifest()}")
    for count in lost.values():
        t.said(result, f"{count:,}", "--memory-process")
    budget(t, "--memory-node", "100K", 1000, 1)
    if said:
        _, result = budget(t, "--memory-node", "4K", 3000, 1, "1000")
        t.said(result, "of memory: rings grow no more", "--memory-node")


def budget(t, option, size, ranges, threads, *pause):
    """Losses of a recording with this budget, in which each range is recorded or lost; the recording."""
    result = t.record([t.victim("fast"), str(ranges), str(threads), *pause], options=[option, size])
    lost = result.losses()
    recorded = len(result.trace().ranges())
    t.equal(recorded + sum(lost.values()), ranges * threads, f"{option} {size}: {recorded} recorded, lost {lost}")
    return lost, result
