# SPDX-License-Identifier: Apache-2.0
"""A collector that does not exist is an error before anything runs; without a launcher the program runs, is recorded, and its log says so."""

KNOWN = "the collectors are nvtx, cuda, level_zero, python and program"


def test(t):
    program = [t.victim("deep"), "1"]
    for options, env, words in (
        (["--collect", "cudaa"], {}, ["cudaa", "--collect", "did you mean cuda?", KNOWN]),
        (["--collect", "nvtx,NVTX"], {}, ["NVTX", "did you mean nvtx?", KNOWN]),
        (["--collect", "frobnicate"], {}, ["frobnicate, which --collect names. ", KNOWN]),
        (["--collect", ""], {}, ["''", "names no collector", KNOWN]),
        (["--dry-run"], {"SYNCLINE_COLLECT": ","}, ["names no collector", KNOWN]),
    ):
        result = t.run(t.launch(["sh", "-c", f"touch {t.path('ran')}"], options), {**t.mode_environment(), **env})
        t.equal((result.status, result.out), (125, b""), f"{options} {env}: {result}")
        t.said(result, *words)
    t.equal(t.run(["test", "-e", t.path("ran")]).status, 1, "the program ran")
    by_variable = t.run(t.launch(program), {**t.mode_environment(), "SYNCLINE_COLLECT": "nvxt"})
    t.equal(by_variable.ending, "status 0", f"{by_variable}")  # the line was understood
    t.said(by_variable, "nothing is recorded", "nvxt", "SYNCLINE_COLLECT", "did you mean nvtx?", KNOWN)
    for options, env in ((["--collect", " nvtx, nvtx,"], {}), (["--collect", "nvtx"], {"SYNCLINE_COLLECT": "nvxt"}), ([], {"SYNCLINE_COLLECT": ""})):
        t.equal(t.record(program, options, env).trace().names(), ["level 0", "afterwards"], f"{options} {env}")
    switched_off = t.run(t.launch(program), {"SYNCLINE_COLLECT": "nvxt", "SYNCLINE_DISABLE": "1"})
    t.equal((switched_off.status, switched_off.err), (0, b""), f"{switched_off}")
    without_a_launcher(t, program)
    for command in (["--help"], ["help", "run"], ["options"], ["completion", "bash"]):
        said = " ".join(t.run([t.syncline, *command]).out.decode().split())
        t.check("nvtx, cuda, level_zero, python and program" in said or "all nvtx cuda level_zero python" in said, f"{command} lacks the collectors: {said}")


def without_a_launcher(t, program):
    directory = t.new_directory()
    doors = {"LD_PRELOAD": t.library, "NVTX_INJECTION64_PATH": t.library, "SYNCLINE_OUTPUT": directory}
    finished = t.run(program, {**doors, "SYNCLINE_COLLECT": "nvxt"})
    t.equal((finished.status, finished.err), (0, b""), f"{finished}")
    t.until(lambda: t.is_complete(directory), f"the trace is written after the program's end\n{finished}")
    recording = t.finish(finished, directory)
    t.equal(recording.trace().names(), ["level 0", "afterwards"])
    logs = [process.get("log", "") for process in recording.manifest()["processes"]]
    t.check(any("no collector has this name: nvxt" in log for log in logs), f"{logs}")
