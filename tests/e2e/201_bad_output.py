# SPDX-License-Identifier: Apache-2.0
"""An output directory that cannot be made or written, that another run holds, or that is named from a working
directory that is gone: the program runs, is recorded elsewhere, and that is told."""

import os


def test(t):
    hello = t.victim("hello")
    with open(t.path("file"), "w"):
        pass
    os.mkdir(t.path("read_only"))
    os.mkdir(t.path("here"))
    bare = t.run([hello])
    for directory in (t.path("file") + "/below", "/proc/nowhere"):
        runs_elsewhere(t, t.launch([t.victim("deep"), "1"], directory=directory), directory)
    if os.geteuid() == 0:
        inner = " ".join(t.launch([t.victim("deep"), "1"], directory=t.path("read_only/run")))
        mount = f"mount -t tmpfs -o ro tmpfs {t.path('read_only')}; exec {inner}"
        runs_elsewhere(t, ["unshare", "-m", "sh", "-c", mount], "read_only")
    gone = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"'
    for directory in ("out", None):
        command = [t.syncline, "run", *(["-o", directory] if directory else []), "--", t.victim("deep"), "1"]
        runs_elsewhere(t, ["sh", "-c", gone, "sh", *command], "working directory")
    first = t.record([t.victim("deep"), "1"])
    again = t.record_command(t.launch([t.victim("deep"), "2"], directory=first.directory), first.directory + ".2")
    t.said(again, "already holds the run of deep", "--force", os.path.basename(first.directory) + ".2")
    t.equal(again.trace().names(), ["level 0", "level 1", "afterwards"])
    t.equal(first.trace().names(), ["level 0", "afterwards"])
    forced = t.run(
        t.launch([t.victim("deep"), "2"], ["--force"], first.directory), t.mode_environment()
    )
    t.equal(forced.status, 0)
    t.equal(first.trace().names(), ["level 0", "level 1", "afterwards"])
    if t.mode == "launcher":
        nothing_ours_keeps_a_program_from_running(t, hello, bare)


def runs_elsewhere(t, command, *words):
    """In the working directory, or in TMPDIR where there is none."""
    here = t.new_directory()
    os.mkdir(here)
    result = t.run(command, {**t.mode_environment(), "TMPDIR": here}, cwd=here)
    t.equal(result.ending, "status 0", f"{result}")
    t.said(result, "This run is recorded into", *words)
    traces = [name for _, _, names in os.walk(here) for name in names if name == "rank-0.trace.json.gz"]
    t.equal(len(traces), 1, f"{result}")


def nothing_ours_keeps_a_program_from_running(t, hello, bare):
    """Every place of the launcher is unusable, or what variables ask for cannot be."""
    with open(t.path("no_place"), "w"):
        pass
    command = t.launch([hello], directory=t.path("no_place") + "/below")
    nowhere = "for d in /tmp /var/tmp /dev/shm; do mount -t tmpfs -o ro tmpfs $d; done; cd /proc; exec "
    ways = [({"SYNCLINE_STEPS": "2:1"}, t.launch([hello])), ({"SYNCLINE_COLLECT": "nvxt"}, t.launch([hello]))]
    if os.geteuid() == 0:
        ways.append(({"TMPDIR": "/proc"}, ["unshare", "-m", "sh", "-c", nowhere + " ".join(command)]))
    for environment, way in ways:
        result = t.run(way, environment)
        t.equal((result.out, result.ending), (bare.out, bare.ending), f"{result}")
        t.said(result, "nothing is recorded")
    t.need("prlimit")
    limit = ["prlimit", f"--stack={4 * ROOM}"]  # arguments and environment may take a quarter
    program = ["sh", "-c", "echo ran; exit 7"]
    launched = t.launch(program)
    fits, too_long = 0, ROOM
    while too_long - fits > 1:
        middle = (fits + too_long) // 2
        if t.run([*limit, *program, *padding(middle)]).status == 7:
            fits = middle
        else:
            too_long = middle
    own = sum(len(word) + 9 for word in launched)  # of the launcher's own line
    result = t.run([*limit, *launched, *padding(fits - own)])
    t.equal((result.out, result.ending), (b"ran\n", "status 7"), f"{result}")
    t.said(result, "nothing is recorded", "too long")


ROOM = 512 << 10


def padding(size):
    return ["x" * min(100_000, size - at) for at in range(0, size, 100_000)]
