# SPDX-License-Identifier: Apache-2.0
"""A program that leaves its work to a server that ran before: where nothing was recorded, the last lines name the server and say where to put
`syncline`. What the program inherited, its own children and other launchers' programs are not named."""

import os
import socket
import subprocess
import sys

from syncline_test import ROOT

LABELS = ()
PROGRAM = os.path.join(ROOT, "tests", "python_programs", "served.py")
TOLD = "the program was connected to {}, which Syncline did not start: if that one does the work, put `syncline --` before the command that starts it"


def test(t):
    for family in ("tcp", "tcp6", "unix"):
        server, address = serve(t, [sys.executable, PROGRAM, "serve", family, t.path(family)])
        recording = t.record([sys.executable, PROGRAM, "use", family, address], complete=False)
        server.wait()
        t.equal((recording.status, recording.out), (0, b"42\n"), f"{family}: {recording}")
        told = TOLD.format(f"served (pid {server.pid})")
        t.check([line for line in recording.said if told in line and "nothing was recorded" in line], f"{family}: {told}\n{recording}")
        own = t.record([sys.executable, PROGRAM, "own", family, t.path("own")], complete=False)
        t.equal((own.out, [line for line in own.said if "connected" in line]), (b"42\n", []), f"{family}: its own child: {own}")
        other_launchers(t, family)
    ours, theirs = socket.socketpair()
    holder = subprocess.Popen(["sleep", "60"], pass_fds=[theirs.fileno()])
    theirs.close()
    inherited = t.launch([sys.executable, "-c", "import time; time.sleep(0.5)"], directory=t.path("inherited"))
    done = subprocess.run(inherited, stdin=ours, capture_output=True, env=t.environment())
    t.check(b"nothing was recorded" in done.stderr and b"connected" not in done.stderr, f"what it inherited: {done}")
    holder.kill()
    holder.wait()


def other_launchers(t, family):
    """A server that is recorded itself."""
    served = t.launch([sys.executable, PROGRAM, "serve", family, t.path("recorded")], directory=t.path(f"of-server-{family}"))
    server, address = serve(t, served)
    recording = t.record([sys.executable, PROGRAM, "use", family, address], complete=False)
    server.wait()
    t.equal((recording.out, [line for line in recording.said if "connected" in line]), (b"42\n", []), f"{family}: a recorded server: {recording}")


def serve(t, command):
    """The server, and its address. It ends with its only client."""
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=t.environment(), text=True)
    return server, server.stdout.readline().strip()
