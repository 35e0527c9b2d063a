# SPDX-License-Identifier: Apache-2.0
"""Of three equal ranks with a GPU one waits for it in each step, and the others run ahead of theirs: all take 15 ms a step, and none is told as slow. Nor is a
rank that takes six times as long as the others do, if it runs another program."""

import json
import os
import shutil

LABELS = ("mpi", "gpu")
MODES = ("launcher",)
NOT_THE_FIRST = '[ "${OMPI_COMM_WORLD_RANK:-0}" = 0 ] || set -- --without; exec %s stream_sync "$@"'


def test(t):
    t.simulated_only("kernels take what the table says")
    mpirun = [t.need("mpirun.openmpi"), "--allow-run-as-root", "--oversubscribe"]
    ahead = ["-n", "3", "sh", "-c", NOT_THE_FIRST % t.cuda_program("twins"), "sh"]
    report = record(t, [*mpirun, *ahead], {**t.gpu_environment(), "SIMGPU_DURATIONS": "*=5ms"})
    step = {row["rank"]: row["mean_ms"] for row in report["rank_stages"] if row["name"] == "step"}
    t.check(step["rank-0"] > 14 > 10 > step["rank-1"], f"the ranges of rank 0 are longer: {step}")
    check(t, report, False)
    for programs, told in ((("solve", "solve"), True), (("solve", "render"), False)):
        paths = [os.path.join(t.directory, name) for name in programs]
        for path in paths:
            shutil.copy(t.victim("mpi_uneven"), path)
        check(t, record(t, [*mpirun, "-n", "2", paths[0], "2", "range", ":", "-n", "1", paths[1], "2", "range"]), told)


def record(t, command, env=None):
    directory = t.new_directory()
    t.record_command(t.launch(command, (), directory), directory, timeout=100, **({"env": env} if env else {}))
    return json.loads(t.run([t.syncline, "report", directory, "--format", "json", "--all"]).out)


def check(t, report, told):
    slow = [finding for finding in report["findings"] if finding["kind"] == "slow_rank" and finding["blocked_ms"] > 20]
    t.equal([finding["rank"] for finding in slow], ["rank 2"] if told else [], f"{slow}")
    t.equal([line for line in report["health"] if "ranks seem to wait" in line] != [], told, f"{report['health']}")
