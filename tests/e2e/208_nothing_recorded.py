# SPDX-License-Identifier: Apache-2.0
"""A run that recorded nothing says what was looked for and what was left out, and leaves nothing behind, or says why it does."""

import os

SILENT = "true"
RANK = {"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "2", "OMPI_MCA_orte_hnp_uri": "here"}
NOTHING = "nothing was recorded: the launcher saw no process with "


def test(t):
    what_is_said(t)
    nothing_stays(t)
    what_others_need_stays(t)
    background(t)


def what_is_said(t):
    ranges, silent = [t.victim("deep"), "2"], [SILENT]
    for program, options, env, words in (
        (silent, [], {}, ["NVTX ranges, CUDA calls, Level Zero calls, Python functions that --python-ranges names or regions of syncline.h; `syncline doctor`"]),
        (silent, ["--collect", "cuda"], {}, ["CUDA calls; `syncline doctor`"]),
        (ranges, ["--collect", "cuda"], {}, ["CUDA calls; there were NVTX ranges", "--collect cuda leaves out (--collect nvtx,cuda"]),
        (ranges, [], {"SYNCLINE_COLLECT": "cuda"}, ["there were NVTX ranges", "SYNCLINE_COLLECT=cuda leaves out"]),
        (["sh", "-c", f"{ranges[0]} 1 & wait"], ["--collect", "cuda"], {}, ["there were NVTX ranges"]),
        (ranges, ["--collect", "cuda", "--skip", "deep"], {}, ["CUDA calls; --skip leaves out deep"]),
    ):
        recording = t.transparent(program, options, env, complete=False)
        t.said(recording, NOTHING, *words)
        t.equal((len(recording.said), os.path.exists(recording.directory)), (1, False), f"{recording}")
    recording = t.record(ranges, ["--collect", "cuda"], {**RANK, "OMPI_COMM_WORLD_SIZE": "1"})
    t.said(recording, "no event is in it: the launcher saw no process with CUDA calls; there were NVTX ranges")
    t.check("nothing was recorded" not in str(recording.said), str(recording))
    t.equal(recording.ranks(), [0], "a rank's trace is there whatever was recorded")


def nothing_stays(t):
    os.mkdir(t.path("work"))
    silent, ranges = [t.syncline, "--", SILENT], [t.syncline, "--", t.victim("deep"), "1"]

    def run(command):
        result = t.run(command, t.mode_environment(), cwd=t.path("work"))
        t.equal(result.status, 0, f"{result}")

    run(silent)
    t.equal(os.listdir(t.path("work")), [], "left by a run that recorded nothing")
    run(ranges)
    latest = os.readlink(t.path("work/syncline-out/latest"))
    run(silent)
    t.equal(sorted(os.listdir(t.path("work/syncline-out"))), sorted([latest, "latest"]))
    t.equal(os.readlink(t.path("work/syncline-out/latest")), latest, "latest")
    started = [t.start(silent, t.mode_environment(), cwd=t.path("work")) for _ in range(6)]
    t.equal([one.wait(60).status for one in started], [0] * 6, "at once")
    t.equal(sorted(os.listdir(t.path("work/syncline-out"))), sorted([latest, "latest"]), "of six at once")
    os.mkdir(t.path("mine"))
    result = t.run(t.launch([SILENT], directory=t.path("mine")), t.mode_environment())
    t.equal(os.listdir(t.path("mine")), [], f"in a directory that was there: {result}")


def what_others_need_stays(t):
    directory = t.new_directory()
    recording = t.record_command(t.launch(["sh", "-c", f"echo mine >{directory}/notes"], directory=directory), directory, complete=False)
    t.said(recording, "stays: notes is in it")
    t.equal((os.listdir(directory), open(f"{directory}/notes").read()), (["notes"], "mine\n"))
    skipped = t.record([SILENT], ["--skip", "true,sh"], RANK, complete=False)
    t.check(os.path.exists(os.path.join(skipped.directory, "run", "job.json")), f"{skipped}")


def background(t):
    """What still lives may record, and is found in the run's directory then."""
    go, done = t.path("go"), t.path("done")
    late = f"(while [ ! -e {go} ]; do sleep 0.02; done; {t.victim('deep')} 2; touch {done}) >{t.path('late')} 2>&1 &"
    recording = t.record(["sh", "-c", late], leaves=True, complete=False)
    t.said(recording, "stays: sh (pid ", "still run", "and may record; `syncline recover")
    t.check(os.path.exists(os.path.join(recording.directory, "run", "job.json")), f"{recording}")
    open(go, "w").close()
    t.until(lambda: os.path.exists(done), "the process in the background is done")
    t.until(lambda: t.run([t.syncline, "recover", recording.directory]).status == 0, "recovered")
    recording = t.finish(recording, recording.directory)
    t.equal(recording.trace().names(), ["level 0", "level 1", "afterwards"])
