# SPDX-License-Identifier: Apache-2.0
"""Where the launcher cannot have descriptors, threads, a process beside it, or /proc, the program runs as ever; what is not recorded is told."""

import os
import shutil
import tempfile

MODES = ("launcher",)
USER = ["setpriv", "--reuid=61065", "--regid=61065", "--clear-groups"]  # nobody else's: the limit counts a user's processes
PROGRAM = ["sh", "-c", "echo ran; ulimit -Sn; exit 7"]


def test(t):
    t.need_root()
    t.need("setpriv", "prlimit", "unshare")
    home = tempfile.mkdtemp(dir="/tmp")  # the scratch folder is root's alone
    try:
        for folder in ("bin", "lib"):
            shutil.copytree(os.path.join(t.build, folder), os.path.join(home, folder))
        os.chmod(home, 0o777)
        out = os.path.join(home, "out")
        syncline = [os.path.join(home, "bin/syncline"), "run", "-o", out, "--", *PROGRAM]
        no_proc = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /proc; exec "$@"', "sh"]
        for limit in (*(["prlimit", f"--nofile={n}"] for n in range(5, 14)), *(["prlimit", f"--nproc={n}", *USER] for n in range(1, 6)), no_proc):
            bare = t.run([*limit, *PROGRAM])
            result = t.run([*limit, *syncline])
            t.equal((result.out, result.ending), (bare.out, bare.ending), f"{limit}: {result}")
            told = [line for line in result.err.decode().splitlines() if "recorded: " in line]
            t.equal(len(told), 1, f"{limit}: {result}")
            # What was made for a run that did not come about, or recorded nothing, is not in the way of the next.
            t.equal(os.path.exists(out), False, f"{limit}: {result}")
        # Output through a pipe: the limit is on files, and the signal of the launcher's own try must not reach the program.
        no_files = t.run(["sh", "-c", '{ "$@"; echo status $?; } 2>&1 | cat', "sh", "prlimit", "--fsize=1", *syncline]).out
        t.check(no_files.endswith(b"ran\n%d\nstatus 7\n" % int(bare.out.split()[1])) and b"nothing is recorded" in no_files, f"{no_files}")
        soft = t.run(["prlimit", "--nofile=8:64", *syncline])  # the launcher may have more than the program
        t.equal((soft.out, soft.ending), (b"ran\n8\n", "status 7"), f"{soft}")
        t.check("nothing is recorded" not in soft.err.decode(), f"{soft}")
    finally:
        shutil.rmtree(home, ignore_errors=True)
