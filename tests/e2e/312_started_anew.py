# SPDX-License-Identifier: Apache-2.0
"""Ranks that their launcher started anew: each attempt has a trace, the report takes the last one and says so."""

import os

from chrome_trace import load

MODES = ("launcher", "process")
SCRIPT = """for attempt in 0 1; do for rank in 0 1; do
  RANK=$rank WORLD_SIZE=2 LOCAL_RANK=$rank TORCHELASTIC_RESTART_COUNT=$attempt "$0" $((3 - attempt)) || exit
done; done"""


def test(t):
    recording = t.record(["sh", "-c", SCRIPT, t.victim("deep")])
    t.equal(recording.ranks(), [0, 1], str(recording))
    for rank in (0, 1):
        t.equal(recording.manifest(rank)["ranges"], 2 + 1, f"of the last attempt alone: {recording.manifest(rank)}")
        earlier = load(os.path.join(recording.directory, "run", f"rank-{rank}-attempt-0.trace.json.gz")).document
        t.equal(earlier["distributedInfo"]["rank"], rank, "its number, which HTA reads")
    report = t.run([t.syncline, "report", recording.directory]).out.decode()
    for rank in (0, 1):
        t.check(f"rank-{rank}: its launcher started it anew: attempt 0 does not count here" in " ".join(report.split()), report)
    files = [f"run/rank-{rank}-attempt-0.trace.json.gz" for rank in (0, 1)]
    t.check("; of earlier attempts, which the report leaves out: " + " and ".join(files) in recording.said[0], str(recording.said))
