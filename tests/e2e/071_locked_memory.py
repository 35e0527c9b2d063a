# SPDX-License-Identifier: Apache-2.0
"""A program that locks all its memory, also what comes, may lock as much of it as without us. Where address space
is limited, we take what is used."""


def test(t):
    t.need_root()
    setpriv = t.need("setpriv")
    limited = [setpriv, "--bounding-set=-ipc_lock", "sh", "-c", 'ulimit -l 8192; exec "$@"', "sh"]
    recording = t.transparent([*limited, t.victim("lock_memory"), "20000"])
    t.check(recording.out.startswith(b"8"), f"the limit did not hold: {recording}")
    t.counted(recording.trace().names(), {"locked": 20000})
    t.equal(recording.losses(), {}, "losses")

    program = ["sh", "-c", 'ulimit -v 1000000; exec "$@"', "sh", t.victim("lock_memory"), "20000", "unlocked"]
    alone = int(t.run(program).out.split()[0])
    recording = t.record(program)
    ours = alone - int(recording.out.split()[0])
    t.check(ours < 6000, f"{ours} KiB of {alone} are missing")
    t.counted(recording.trace().names(), {"locked": 20000})
    t.equal(recording.losses(), {}, "losses")
