# SPDX-License-Identifier: Apache-2.0
"""--ranks under mpirun and torchrun, one launcher or one for each rank: exactly the ranks asked for have traces, the others have marks, and nobody
calls those missing. --processes: programs by name."""

import os

import torchrun

LABELS = ("mpi", "torch")
MODES = ("launcher",)
TIMEOUT = 240
RANKS = 8
ASKED = [("0,5", {0, 5}), ("2-3", {2, 3}), ("every:4", {0, 4}), ("local:6-7", {6, 7}), ("node-first,7", {0, 7})]


def check(t, recording, asked, recorded, what):
    t.equal(recording.ending, "status 0", f"{what}: {recording}")
    t.equal(recording.ranks(), sorted(recorded), f"{what}: traces: {recording}")
    run = os.path.join(recording.directory, "run")
    marks = {name for name in os.listdir(run) if name.endswith(".left-out")}
    t.equal(marks, {f"rank-{rank}.left-out" for rank in set(range(RANKS)) - recorded}, f"{what}: marks")
    for name in marks:
        with open(os.path.join(run, name)) as file:
            t.equal(file.read(), f"--ranks {asked}\n", what)
    said = "\n".join(recording.said)
    t.check(f"wrote {len(recorded)} traces to " in said and f"; --ranks leaves {RANKS - len(recorded)} ranks out" in said, f"{what}: {recording}")
    t.check("not written" not in said and len(recording.said) <= 4, f"{what}: {recording}")
    for rank in recorded:
        t.check(len(recording.trace(rank).ranges()) > 0, f"{what}: rank {rank} recorded nothing")


def under_mpirun(t):
    mpirun = [t.need("mpirun.openmpi"), "--allow-run-as-root", "--oversubscribe", "-n", str(RANKS)]
    program = [t.victim("mpi_openmpi")]
    for number, (asked, recorded) in enumerate(ASKED):
        for order in ("inside", "outside") if number == 0 or t.full else (("inside", "outside")[number % 2],):
            directory = t.new_directory()
            options = ["--ranks", asked]
            command = ([*mpirun, *t.launch(program, options, directory)] if order == "inside"
                       else t.launch([*mpirun, *program], options, directory))
            recording = t.record_command(command, directory, timeout=100)
            check(t, recording, asked, recorded, f"mpirun, {order}, {asked}")
            t.equal(recording.out.count(b" sum 28"), RANKS, f"{recording}")


def under_torchrun(t):
    python = t.venv("torch")
    if t.run([python, "-c", "import torch"]).status != 0:
        return
    for order in ("inside", "outside"):
        # Debian's torch 1.13 knows these spellings only, and on Python 3.11 needs --redirects and --tee.
        launcher = [python, "-W", "ignore", "-m", "torch.distributed.run", "--redirects=1", "--tee=1", f"--nproc_per_node={RANKS}",
                    f"--master_port={torchrun.free_port()}", "--no_python"]
        directory = t.new_directory()
        program = [t.victim("nvtx_c")]
        command = ([*launcher, *t.launch(program, ["--ranks", "local:2,6"], directory)] if order == "inside"
                   else t.launch([*launcher, *program], ["--ranks", "local:2,6"], directory))
        recording = t.record_command(command, directory, timeout=100, env={"OMP_NUM_THREADS": "1"})
        check(t, recording, "local:2,6", {2, 6}, f"torchrun, {order}")


def of_no_rank(t):
    """A list that means nobody leaves nothing but its sentence; a program without ranks is recorded, and its log says so."""
    env = {"RANK": "1", "LOCAL_RANK": "1", "WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2"}
    bad = t.run(t.launch([t.victim("nvtx_c")], ["--ranks", "2"]), env=env)
    t.check(bad.status == 125 and b"the job has no rank 2, which --ranks names: its 2 ranks are 0 to 1." in bad.err, f"{bad}")
    recording = t.record([t.victim("nvtx_c")], ["--ranks", "3"])
    t.equal(recording.ranks(), [0], f"{recording}")
    t.check("because it has no rank" in recording.manifest()["processes"][0]["log"], f"{recording.manifest()}")


def by_name(t):
    """The shell around the program is left alone: only what fits is recorded."""
    for names, recorded in (("nvtx_*", True), ("sh,nvtx_?", True), ("python*", False)):
        recording = t.record(["sh", "-c", '"$0"; exit 0', t.victim("nvtx_c")], ["--processes", names], complete=False)
        t.equal(recording.ranks(), [0] if recorded else [], f"{names}: {recording}")
        t.check(recorded or f"; --processes leaves all programs out but {names!r}" in recording.said[0], f"{recording}")


def test(t):
    of_no_rank(t)
    by_name(t)
    under_mpirun(t)
    under_torchrun(t)
