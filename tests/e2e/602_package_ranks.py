# SPDX-License-Identifier: Apache-2.0
"""Two MPI ranks, and PyTorch on a simulated GPU, recorded by the wheel in the environment that the job runs in."""


import packages

MODES = ("launcher",)
LABELS = ("packages", "torch", "mpi")
TIMEOUT = 240


def test(t):
    wheel = packages.package(t, "syncline-*.whl")
    venv = packages.new_venv(t, "/usr/bin/python3", "venv")
    packages.pip(t, venv, "install", "--no-index", wheel)
    t.syncline = f"{venv}/bin/syncline"
    directory = t.new_directory()
    mpirun = [t.need("mpirun.openmpi"), "--allow-run-as-root", "--oversubscribe", "-n", "2"]
    recording = t.record_command([*mpirun, *t.launch([t.victim("mpi_openmpi")], (), directory)], directory, timeout=100)
    t.equal((recording.ending, recording.ranks()), ("status 0", [0, 1]), f"{recording}")

    packages.see(t, venv, "torch-cuda")
    _, *arguments = t.torch_program("inference")
    env = t.torch_environment()
    command = [f"{venv}/bin/python", *arguments]
    recording = t.past_exit_race(lambda: t.record(command, env=env, timeout=120), env)
    judged = t.judge_torch(recording, env, "inference")
    t.check(judged.matched > 20, f"{judged}")
