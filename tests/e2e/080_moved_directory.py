# SPDX-License-Identifier: Apache-2.0
"""The run's directory is moved, replaced by a link, removed or taken by another run while the program runs: its
records go with it, nothing is written into what stands in its place, and that is told."""

import os
import shlex

MODES = ("launcher",)
FAST = 60
# A process ends before, one lives through it, and one begins after it.
PROGRAM = """
deep=$1 fast=$2 out=$3
$deep 0
$fast {fast} 1 10000 &
until [ $(ls $out/run/spool/*/ | grep -c '^[0-9]') -ge 2 ]; do sleep 0.02; done
kill -STOP $!
{act}
kill -CONT $!
$deep 1
wait
"""


def test(t):
    for act, told in ((moved, "was renamed"), (linked, "was renamed"), (removed, "was removed"), (emptied, "was removed"), (without_spools, "was removed"), (unnamed, "was removed"),
                      (forced, "was renamed")):
        directory = t.new_directory()
        script, there, after = act(t, directory)
        program = ["sh", "-c", PROGRAM.format(fast=FAST, act=script), "sh", t.victim("deep"), t.victim("fast"), directory]
        places = t.new_directory()
        os.mkdir(places)
        recording = t.record_command(t.launch(program, directory=directory), there, {"TMPDIR": places})
        t.equal(os.listdir(places), [], f"{act.__name__}: nothing stays of folders beside the run")
        t.equal(recording.ending, "status 0", f"{act.__name__}: {recording}")
        t.said(recording, told, os.path.basename(there))
        said = " ".join(recording.said)
        t.check("/proc/" not in said and "internal" not in said, f"{act.__name__}: {recording}")
        names = recording.trace().names()
        lost = act in (removed, emptied, without_spools)
        expected = {"fast": FAST, "level 0": 1, "afterwards": 1 if lost else 2}
        t.counted(names, expected)
        t.equal("lost" in said, lost, f"{act.__name__}: {recording}")
        if after:
            after()
    becomes_another_program(t)


def becomes_another_program(t):
    """What a process recorded into a spool that was removed is kept, also where its next program's spool has the same name."""
    directory = t.new_directory()
    recording = t.record_command(t.launch([t.victim("exec_chain"), "2", f"rm -rf {directory}"], directory=directory), directory)
    t.equal(recording.ending, "status 4", f"{recording}")
    t.equal(sorted(recording.trace().names()), ["closed 0", "closed 1", "closed 2", "open 1", "open 2"], f"{recording}")


def moved(t, directory):
    return f"mv {directory} {directory}.moved", directory + ".moved", None


def linked(t, directory):
    other = t.path("other")
    os.mkdir(other)
    script = f"mv {directory} {directory}.moved; ln -s {other} {directory}"
    return script, directory + ".moved", lambda: t.equal(os.listdir(other), [])


def removed(t, directory):
    return f"rm -rf {directory}", directory, None


def emptied(t, directory):
    return f"rm -rf {directory}/*", directory, None


def without_spools(t, directory):
    return f"rm -rf {directory}/run/spool", directory, None


def unnamed(t, directory):
    return f"find {directory} -name '*.json' -delete", directory + "/job-2", None


def forced(t, directory):
    second = shlex.join(t.launch([t.victim("deep"), "3"], ["--force", "--quiet"], directory))
    script = f"env -i PATH=$PATH {second}"
    names = ["level 0", "level 1", "level 2", "afterwards"]

    def untouched():
        import chrome_trace
        t.equal(chrome_trace.load(os.path.join(directory, "rank-0.trace.json.gz")).names(), names)

    return script, directory + ".old-1", untouched
