# SPDX-License-Identifier: Apache-2.0
"""Records that a killed process left in memory of another layout stay for the version that can read them, and recover says so."""

import glob
import os
import struct
import time

import kills

MODES = ("process",)
LABELS = ("kill",)
LAYOUT = struct.Struct("<8xI")  # segment.h: the magic, then the layout


def set_layout(segment, add):
    with open(segment, "r+b") as file:
        [layout] = LAYOUT.unpack(file.read(LAYOUT.size))
        file.seek(8)
        file.write(struct.pack("<I", layout + add))


def test(t):
    victim = kills.Numbered(t, 400000, 20000)
    directory = t.new_directory()
    started = t.start(t.launch(victim.command, (), directory), t.mode_environment())
    pid = victim.wait_for_pid(t)
    time.sleep(0.4)
    at = kills.kill(started.pid)
    os.kill(pid, 9)
    recording = t.finish(started.wait(), directory, complete=False)
    [segment] = [os.path.realpath(link) for link in glob.glob(f"{directory}/run/spool/*/*.segment")]
    set_layout(segment, 1)
    refused = t.run([t.syncline, "recover", directory])
    t.equal(refused.status, 125, f"{refused}")
    t.said(refused, "in memory of layout", "this `syncline` reads layout", "of the version that recorded it")
    t.equal(len(refused.err.splitlines()), 1, f"{refused}")
    set_layout(segment, -1)
    t.recover(recording)
    recording = t.finish(recording, directory)
    lost = kills.missing(recording.trace(), victim.finished(before=at - 60_000_000))
    t.check(not lost, f"{len(lost)} ranges are missing, such as {lost[:5]}\n{recording}")
