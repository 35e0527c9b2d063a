# SPDX-License-Identifier: Apache-2.0
"""A ring that is too small loses records, and every one is counted: recorded + lost == emitted."""


THREADS, EACH = 8, 100000  # together faster than one reader, whatever the machine


def test(t):
    program = [t.victim("fast"), str(EACH), str(THREADS)]
    recording = t.record(program, options=["--memory-ring", "64K"])
    found = len(recording.trace().ranges(name="fast"))
    lost = THREADS * EACH - found
    t.check(found > 0, "nothing was recorded")
    t.check(lost > 0, "nothing was lost: the loss was not tried")
    t.equal(recording.losses(), {"ring_full": lost}, f"losses where {found} were recorded")
    t.said(recording, f"{lost:,}", "--memory-ring")
