# SPDX-License-Identifier: Apache-2.0
"""A user's own LD_PRELOAD stays, and stays in front; the runs say the same. A program that reads LD_PRELOAD as one path
is recorded with --no-preload."""


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
    one_path(t, env)


def one_path(t, env):
    program = ["sh", "-c", 'test -e "$LD_PRELOAD" && exec "$@"', "sh", t.victim("deep"), "1"]
    fails = t.run(t.launch(program), {**t.mode_environment(), **env})
    t.equal(fails.ending, "status 1", f"{fails}")
    t.said(fails, "LD_PRELOAD", "as one path", "--no-preload")
    recording = t.record(program, ["--no-preload"], env)
    t.equal(recording.ending, "status 0", f"{recording}")
    t.said(recording, "--no-preload: processes were seen from their first use of NVTX or CUDA on")
    t.counted(recording.trace().names(), {"level 0": 1, "afterwards": 1})
    inner = [t.syncline, "--", t.victim("deep"), "2"]  # joins, and leaves LD_PRELOAD alone as it was told
    recording = t.record(["sh", "-c", 'test -z "$LD_PRELOAD" && exec "$@"', "sh", *inner], ["--no-preload"])
    t.counted(recording.trace().names(), {"level 0": 1, "level 1": 1, "afterwards": 1})
