# SPDX-License-Identifier: Apache-2.0
"""Ranks that meet by gloo and that nothing numbers: the report keeps their steps apart and says what would number them. With that said, each is
a rank."""

import os

LABELS = ("torch",)
MODES = ("launcher",)
RANKS, STEPS = 3, 4
PROGRAM = f"""import os, sys, nvtx, torch, torch.distributed as dist, torch.multiprocessing as mp
def work(rank, path):
    dist.init_process_group("gloo", init_method="file://" + path, rank=rank, world_size={RANKS})
    for step in range({STEPS}):
        with nvtx.annotate(f"step {{step}}"):
            dist.all_reduce(torch.ones(4))
    dist.destroy_process_group()
if __name__ == "__main__":
    if "--rank" in sys.argv:
        work(int(sys.argv[-1]), sys.argv[1])
    else:
        mp.spawn(work, (sys.argv[1],), nprocs={RANKS})
"""
SENTENCE = f"{RANKS} processes take steps of one name (`step #`) at one time, and are told as one rank"


def record(t, command):
    recording = t.record(command, env={"OMP_NUM_THREADS": "1"}, timeout=100)
    t.equal(recording.ending, "status 0", str(recording))
    return recording, " ".join(t.run([t.syncline, "report", recording.directory]).out.decode().split())


def test(t):
    script = os.path.join(t.directory, "gloo_ranks.py")
    with open(script, "w") as file:
        file.write(PROGRAM)
    program = [t.venv("torch"), "-W", "ignore", script]
    recording, text = record(t, [*program, os.path.join(t.directory, "first")])
    t.equal(recording.ranks(), [0], str(recording))
    pids = [process["pid"] for process in recording.manifest()["processes"] if process["ranges"]]
    t.equal(len(pids), RANKS, str(recording.manifest()))
    for pid in pids:
        t.check(f"rank-0 (process {pid}), step #" in text, text)
    t.check(SENTENCE in text and "`--rank N` among their arguments" in text, text)

    loop = 'for rank in 0 1 2; do RANK=$rank WORLD_SIZE=3 MASTER_ADDR=localhost "$@" --rank $rank & done; wait'
    recording, text = record(t, ["sh", "-c", loop, "sh", *program, os.path.join(t.directory, "second")])
    t.equal(recording.ranks(), list(range(RANKS)), str(recording))
    t.check(SENTENCE not in text and "(process" not in text, text)
