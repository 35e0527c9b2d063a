# SPDX-License-Identifier: Apache-2.0
"""--dry-run prints environment and command for those who may not use a launcher; the program's
exit writes the trace."""

MODES = ("process",)


def test(t):
    directory = t.new_directory()
    program = [t.victim("exec_chain"), "2"]
    command = [t.syncline, "run", "-o", directory, "--dry-run", "--", *program]
    printed = t.run(command)
    t.equal(printed.status, 0, f"{printed}")
    t.check(b"export LD_PRELOAD=" in printed.out, f"{printed}")
    t.check(b"export NVTX_INJECTION64_PATH=" in printed.out, f"{printed}")
    wishes = "export SYNCLINE_TIME_UNIT=us SYNCLINE_BASE_TIME=kineto\n"
    finished = t.run(["sh", "-c", wishes + printed.out.decode()])
    t.equal(finished.ending, "status 4")
    t.until(
        lambda: t.is_complete(directory),
        f"the trace is written after the program's end\n{finished}",
    )
    recording = t.finish(finished, directory)
    t.check(all("." not in begin for begin, _ in recording.trace().times), "not in whole microseconds")
    t.equal(recording.manifest()["base_time_from"], "kineto")
    t.counted(recording.trace().names(), {"closed 2": 1, "closed 1": 1, "closed 0": 1})
