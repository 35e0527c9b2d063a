# SPDX-License-Identifier: Apache-2.0
"""Thousands of short processes of a rank cost the launcher neither descriptors nor records: the first 1,000 are shown, the others
counted and told, and those that record are shown all; programs that replace each other give back what they held."""

MODES = ("launcher",)
TIMEOUT = 200
RANK = {"RANK": "0", "WORLD_SIZE": "1", "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "1"}
# The shell's parent is the launcher. The shell counts by itself: each program that it would start is a connection and a
# descriptor for a moment.
COUNT = 'set -- /proc/$PPID/fd/*; echo $#'
SHORT = COUNT + '; for i in $(seq 2500); do /bin/true; done; sleep 0.5; ' + COUNT


def test(t):
    recording = t.record(["sh", "-c", SHORT], env=RANK, timeout=100)
    before, after = map(int, recording.out.split())
    # A launcher that is behind may hold those of the last few processes still.
    t.check(after <= before + 10, f"{before} descriptors before, {after} after: {recording}")
    manifest = recording.manifest()
    shown = len({process["pid"] for process in manifest["processes"]})
    t.check(1000 <= shown <= 1010, f"{shown} processes are shown")
    t.check(shown + manifest["processes_left_out"] >= 2500, f"{shown} and {manifest['processes_left_out']}")
    t.said(recording, "more that recorded nothing")

    # All that record are shown, and not counted with those that do not; for these the first 1,000 places are left.
    many = 'for i in $(seq 1200); do "$0" 1 1 > /dev/null; done; for i in $(seq 100); do /bin/true; done'
    recording = t.record(["sh", "-c", many, t.victim("fast")], env=RANK, timeout=100)
    t.equal(len(recording.trace().ranges(name="fast")), 1200)
    manifest = recording.manifest()
    t.equal(manifest["processes_left_out"], 0, f"{recording}")
    t.equal(len(recording.trace().process_names()), 1200 + 100 + 3, "with the shell and two of seq")

    # With one descriptor for each program of the chain the limit would be reached.
    directory = t.new_directory()
    chain = t.launch([t.victim("exec_chain"), "150"], directory=directory)
    recording = t.record_command(["sh", "-c", 'ulimit -Hn 100; exec "$@"', "sh", *chain], directory, timeout=100)
    t.equal(recording.ending, "status 4", f"{recording}")
    names = recording.trace().names()
    t.counted(names, {f"{kind} {number}": 1 for number in range(1, 151) for kind in ("closed", "open")})
    t.equal([line for line in recording.said if "not recorded" in line or "refused" in line], [], f"{recording}")
