# SPDX-License-Identifier: Apache-2.0
"""After the command line is understood, nothing of ours keeps a program from running: each exit of the launcher before
the program runs is listed here with what leads there, and whatever is in the launcher's way, the program runs."""

import os
import re

MODES = ("launcher",)
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# The files on the way from `main` to exec, and in them each place where a launcher leaves without having run the program.
EXITS = {
    "main.cc": {"return kExitOurFailure": 1},  # of the other commands; RunProgram catches its own
    "commands/run_command.cc": {
        "return found.exit_code": 1,  # there is no such program: as a shell leaves
        "return kExitNotFound": 1,  # its interpreter is not there
        "return kExitOurFailure": 6,  # LINES, and --dry-run, which runs nothing
        "return NotFound(": 1,
    },
    "commands/recording.cc": {"? kExitNotFound : kExitNotExecutable": 1},  # exec of the program failed
    "start/unrecorded.cc": {"? kExitNotFound : kExitNotExecutable": 1},
    "start/spawn.cc": {"_exit(": 3},  # of the child; of LeaveLike
}
LEAVES = re.compile(r"return kExit\w+|\? kExit\w+ : kExit\w+|return found\.exit_code|return NotFound\(|\b_?exit\(|\babort\(|quick_exit\(|std::terminate\(")
LINES = (["--no-such-option", "--", "true"], ["--python-ranges", "f(", "--", "true"], ["--steps", "2:1", "--", "true"], ["-o", "x"],
         ["--on-simulated-gpu", "--simulated-gpu", "/nowhere", "--", "true"])


def test(t):
    for name, known in EXITS.items():
        with open(os.path.join(ROOT, "launcher", name)) as file:
            code = re.sub(r"//.*", "", file.read())
        found = {}
        for leaves in LEAVES.findall(code):
            found[leaves] = found.get(leaves, 0) + 1
        t.equal(found, known, f"exits of {name} before the program runs")
    for line in LINES:
        result = t.run([t.syncline, *line])
        t.equal((result.status, result.out), (125, b""), f"{line}: {result}")
    hostile_places(t)
    little_memory(t)
    small_files(t)


def hostile_places(t):
    """Files and links where the launcher makes folders."""
    program = ["sh", "-c", "echo ran; exit 7"]
    for prepare in ("touch O", "mkdir O; touch O/run", "mkdir -p O/run/job.json", "mkdir -p O/run; echo {} >O/run/job.json", "ln -s nowhere O",
                    "ln -s O O", "mkdir -p O/run; touch O/run/joined", "mkdir -p O/run; touch O/run/spool", "mkdir -p O/run/joined/main"):
        directory = t.new_directory()
        here = directory + ".here"
        os.mkdir(here)
        t.run(["sh", "-c", prepare.replace("O", directory)])
        result = t.run(t.launch(program, directory=directory), {"TMPDIR": here}, cwd=here)
        t.equal((result.out, result.ending), (b"ran\n", "status 7"), f"{prepare}: {result}")


def little_memory(t):
    """Where the program itself finds room, it runs; whether it is recorded depends on the limit."""
    t.need("prlimit")
    program = ["sh", "-c", "echo ran; exit 7"]
    for megabytes in (12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256):
        limit = ["prlimit", f"--as={megabytes << 20}"]
        if t.run([*limit, t.syncline, "--version"]).status != 0:
            continue  # the loader finds no room for the launcher
        result = t.run([*limit, *t.launch(program)])
        t.equal((result.out, result.ending), (b"ran\n", "status 7"), f"{megabytes} MiB: {result}")


def small_files(t):
    """Files and memory of at most a few pages, in which the harness keeps what is said; few descriptors."""
    t.need("prlimit")
    for limit in ("fsize=0", "fsize=2048", "fsize=4096", "fsize=65536", "nofile=4", "nofile=8", "nofile=12"):
        result = t.run(["prlimit", f"--{limit}", *t.launch(["sh", "-c", "exit 7"])])
        t.equal(result.ending, "status 7", f"{limit}: {result}")
