# SPDX-License-Identifier: Apache-2.0
"""A program that is started with a cleared environment is told, with its name and what helps; --follow-env records it. Who keeps the
environment, is left out by the user or could not be recorded anyway is not told."""

import os

FUNCTIONS = ("execve", "execv", "execvp", "execvpe", "posix_spawn", "posix_spawnp")
LOST = "started without Syncline's"
WAYS = {
    "env": 'env -i "$0" 100 1',
    "exec": 'exec -c "$0" 100 1',
    "nohup": 'env -i nohup "$0" 100 1 </dev/null',
    "xargs": 'echo 100 1 | env -i xargs "$0"',
    "make": 'printf "all:\\n\\tunset LD_PRELOAD NVTX_INJECTION64_PATH CUDA_INJECTION64_PATH; $0 100 1\\n" | make -sf -',
    "subprocess": 'python3 -c "import subprocess, sys; subprocess.run(sys.argv[1:], env={})" "$0" 100 1',
    "posix_spawn": 'python3 -c "import os, sys; os.waitpid(os.posix_spawn(sys.argv[1], sys.argv[1:], {}), 0)" "$0" 100 1',
}


def test(t):
    ways(t)
    functions(t)
    parts(t)
    no_loss(t)
    of_ranks(t)
    nothing_recorded(t)


def both(t, program, told):
    """100 of 200 ranges and a word; all with --follow-env and none."""
    recording = t.transparent(program)
    t.counted(recording.trace().names(), {"fast": 100})
    t.said(recording, LOST, *told)
    t.equal(recording.manifest()["unrecorded"], recording.trace().metadata["unrecorded"])
    report = t.run([t.syncline, "report", recording.directory, "--no-files", "--all"], env={"COLUMNS": "400"}).out.decode()
    t.check(LOST in report, report)
    recording = t.transparent(program, ["--follow-env"])
    t.counted(recording.trace().names(), {"fast": 200})
    quiet(t, recording)


def quiet(t, recording):
    t.equal([line for line in recording.said if LOST in line], [], f"{recording}")


def ways(t):
    for way, script in WAYS.items():
        told = {"xargs": "1 program was", "nohup": "1 program was"}.get(way, "(fast): nothing of it is recorded (--follow-env gives them back)")
        both(t, ["bash", "-c", f'"$0" 100 1; {script}', t.victim("fast")], [told])


def functions(t):
    for function in FUNCTIONS:
        for child in ("fork", "vfork")[: 1 if "spawn" in function else 2]:
            for environment in ("empty", "null"):
                start = f'"$0" 100 1; "$1" {function} {child} {environment} 4 "$0" 25 1'
                both(t, ["bash", "-c", start, t.victim("fast"), t.victim("starts")], ["4 programs were", "(the first: fast): nothing of them"])
    bare = t.run([t.victim("starts"), "failing", folder(t)])
    t.check(bare.out.count(b"\n") > 60, f"{bare}")
    for options in ([], ["--follow-env"]):
        recording = t.record([t.victim("starts"), "failing", folder(t)], options, complete=False)
        t.equal(recording.out, bare.out, "how each function fails")
        quiet(t, recording)


def folder(t):
    for name, text, mode in (("plain", "text", 0o644), ("strange", "\x7fnothing", 0o755)):
        with open(os.open(t.path(name), os.O_CREAT | os.O_TRUNC | os.O_WRONLY, mode), "w", encoding="utf-8") as file:
            file.write(text)
    return t.path("")


def parts(t):
    """Who replaces LD_PRELOAD keeps the doors: CUDA and NVTX go on by them, and what goes through LD_PRELOAD alone is told."""
    script = f'"$0" 100 1; LD_PRELOAD={t.victim("libsecond_preload.so")} "$0" 100 1'
    recording = t.transparent(["bash", "-c", script, t.victim("fast")])
    t.counted(recording.trace().names(), {"fast": 200})
    t.said(recording, "1 program was started without Syncline's LD_PRELOAD (fast): Level Zero calls and regions of syncline.h of it are missing")
    recording = t.transparent(["bash", "-c", script, t.victim("fast")], ["--follow-env"])
    t.counted(recording.trace().names(), {"fast": 200})
    t.check(b"second preload: loaded" in recording.out, f"{recording}")
    quiet(t, recording)
    of_tools(t)
    recording = t.record(["bash", "-c", 'env -u NVTX_INJECTION64_PATH "$0" 100 1; "$0" 100 1', t.victim("fast")])
    t.counted(recording.trace().names(), {"fast": 100})
    t.said(recording, "without Syncline's NVTX_INJECTION64_PATH (fast): NVTX ranges of it are missing")


def of_tools(t):
    """A tool of the user's keeps its variable; an empty one leads NVTX to what is preloaded."""
    script = f'"$0" 100 1; NVTX_INJECTION64_PATH={t.victim("libsecond_preload.so")} "$0" 50 1'
    for options in ([], ["--follow-env"]):
        recording = t.record(["bash", "-c", script, t.victim("fast")], options)
        t.counted(recording.trace().names(), {"fast": 100})
        t.said(recording, "with another library in NVTX_INJECTION64_PATH (fast), which stays there: NVTX ranges of it are missing; what can be recorded of it: CUDA calls")
        quiet(t, recording)
        recording = t.record(["bash", "-c", 'NVTX_INJECTION64_PATH= "$0" 50 1', t.victim("fast")], options)
        t.counted(recording.trace().names(), {"fast": 50})
        quiet(t, recording)


def no_loss(t):
    fast = t.victim("fast")
    for script, options in (
        ('"$0" 1 1; for i in 1 2 3; do bash -c "$0 1 1"; done', []),
        ('"$0" 1 1; LD_PRELOAD="$LD_PRELOAD" env -u HOME "$0" 1 1', []),
        ('"$0" 1 1; env -i SYNCLINE_DISABLE=1 "$0" 1 1', []),
        ('"$0" 1 1; env -i /bin/echo', ["--skip", "echo"]),
        ('"$0" 1 1; env -i /bin/echo', ["--processes", "fast"]),
        ('"$0" 1 1; env -i /bin/echo', ["--no-preload"]),
        ('"$0" 1 1; env -i /sbin/ldconfig -p', []),
        ('"$0" 1 1; env -i syncline-no-such-program', []),
        (f'"$0" 1 1; {t.syncline} -- "$0" 1 1', []),
    ):
        quiet(t, t.record(["bash", "-c", script + "; true", fast], options, complete=False))


def of_ranks(t):
    """Each rank's manifest tells of what its own processes started; without a rank's trace the first one does."""
    script = 'for i in 0 1; do RANK=$i WORLD_SIZE=2 LOCAL_RANK=$i LOCAL_WORLD_SIZE=2 bash -c "$0 1 1; $1"; done; env -i "$0" 1 1; env -i "$0" 1 1'
    recording = t.record(["bash", "-c", script, t.victim("fast"), 'test $RANK = 0 || env -i $0 1 1'.replace("$0", t.victim("fast"))])
    told = [recording.manifest(rank).get("unrecorded", []) for rank in (0, 1)]
    t.equal([sentence.split(" program")[0] for sentences in told for sentence in sentences], ["2", "1"], f"{told}")
    t.said(recording, LOST, "and 1 more: run/rank-*.json")


def nothing_recorded(t):
    recording = t.transparent(["env", "-i", t.victim("fast"), "1", "1"], complete=False)
    t.said(recording, "nothing was recorded: 1 program was started without", "(fast)", "--follow-env")
