# SPDX-License-Identifier: Apache-2.0
"""A launcher that is stopped for three seconds is waited for, not abandoned: one trace, and what found no room meanwhile is counted."""

import signal
import time

MODES = ("launcher",)
EMITTED = 5000


def test(t):
    directory = t.new_directory()
    started = t.start(t.launch([t.victim("fast"), str(EMITTED), "1", "1000"], directory=directory))
    time.sleep(1.0)
    started.process.send_signal(signal.SIGSTOP)
    time.sleep(3.2)
    started.process.send_signal(signal.SIGCONT)
    recording = t.finish(started.wait(60), directory)
    t.equal(recording.ending, "status 0", f"{recording}")
    losses = recording.losses()
    t.equal(len(recording.trace().ranges(name="fast")) + sum(losses.values()), EMITTED, f"{losses}")
    t.equal(set(losses) - {"ring_full"}, set(), f"{recording}")
    t.equal(t.run([t.syncline, "recover", directory]).status, 0, "nothing else is left")
