# SPDX-License-Identifier: Apache-2.0
"""A user's own LD_PRELOAD stays, and stays in front; the runs say the same."""


def test(t):
    env = {"LD_PRELOAD": t.victim("libsecond_preload.so")}
    for how in ("return", "_exit"):
        bare = t.run([t.victim("endings"), how], env)
        recording = t.record(
            ["/usr/bin/env", "LD_PRELOAD_CHECK=1", t.victim("endings"), how], env=env
        )
        t.check(b"second preload: loaded" in recording.out, f"{recording}")
        t.equal(recording.ending, bare.ending)
        t.counted(recording.trace().names(), {"closed": 1})
