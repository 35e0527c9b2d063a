# SPDX-License-Identifier: Apache-2.0
"""A report begins with the process that crashed, failed or was killed, and with the ranges that were open; of four ranks with the one that
failed first. A worker that its parent ends by a signal is not told, one that crashed is."""

import json

LABELS = ("kill", "endings", "mpi")
MODES = ("launcher",)
HOW = {"segv": "killed by signal 11 (SEGV)", "abort": "killed by signal 6 (ABRT)", "sigkill": "killed by signal 9 (KILL)", "exit7": "exited with status 7"}
# The rank that dies waits until the others have ended well: mpirun ends them at once when it dies.
ONE_DIES = """
if [ "$OMPI_COMM_WORLD_RANK" = 2 ]; then
    until [ -e "$1.0" ] && [ -e "$1.1" ] && [ -e "$1.3" ]; do sleep 0.1; done
    exec "$0" sigkill
fi
"$0" return
touch "$1.$OMPI_COMM_WORLD_RANK"
exec sleep 60
"""
WORKER = """
import multiprocessing, os, signal, sys, time
import nvtx

def work(how):
    with nvtx.annotate("work"):
        if how == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        time.sleep(60)

if __name__ == "__main__":
    with nvtx.annotate("start"):
        pass
    worker = multiprocessing.get_context("spawn").Process(target=work, args=sys.argv[1:])
    worker.start()
    worker.join(None if sys.argv[1] == "crash" else 1)
    worker.terminate()
    worker.join()
"""


def endings(t, directory):
    return json.loads(t.run([t.syncline, "report", directory, "--format", "json"]).out)["endings"]


def test(t):
    for how, ended in HOW.items():
        directory = t.record([t.victim("endings"), how], killed=how == "sigkill").directory
        [ending] = endings(t, directory)
        t.equal((ending["how"], ending["ranges"], ending["rank"]), (ended, "open > open inside", "rank-0"), f"{ending}")
        text = t.run([t.syncline, "report", directory, "--no-files"], env={"COLUMNS": "200"}).out.decode()
        t.equal(text.splitlines()[1], ending["problem"], text)
    t.equal(endings(t, t.record([t.victim("endings"), "return"]).directory), [], "it ended well")
    workers(t)
    with_its_parent(t)
    ranks(t)


# Much memory: it takes longer to end than its parent, which is killed with it.
def with_its_parent(t):
    program = "import os, nvtx; memory = bytearray(600 << 20); nvtx.push_range('open'); os.kill(os.getppid(), 9); os.kill(os.getpid(), 9)"
    recording = t.record(["sh", "-c", '"$@"; true', "sh", t.venv("torch"), "-c", program], killed=True, complete=False)
    t.equal(len(recording.ranks()), 1, "the end is known, and nothing is written later")
    t.equal([ending["ranges"] for ending in endings(t, recording.directory)], ["open"])


def workers(t):
    path = t.path("workers.py")
    with open(path, "w") as file:
        file.write(WORKER)
    for how, told in (("stay", []), ("crash", [("killed by signal 11 (SEGV)", "work")])):
        directory = t.record([t.venv("torch"), path, how], complete=False).directory
        t.equal([(ending["how"], ending["ranges"]) for ending in endings(t, directory)], told, how)


def ranks(t):
    directory = t.new_directory()
    mpirun = [t.need("mpirun.openmpi"), "--allow-run-as-root", "--oversubscribe", "-n", "4"]
    recording = t.record_command([*mpirun, *t.launch(["bash", "-c", ONE_DIES, t.victim("endings"), t.path("ended")], (), directory)], directory, complete=False)
    if not t.is_complete(directory):
        t.recover(recording)
    first = endings(t, directory)[0]
    t.equal((first["rank"], first["how"], first["ranges"]), ("rank-2", HOW["sigkill"], "open > open inside"), f"{first}")
