# SPDX-License-Identifier: Apache-2.0
"""Connections of another user, and silent ones of our own, keep nobody from being recorded; they are counted and told."""

import os
import socket

MODES = ("launcher",)
NOBODY = 65534
CONNECT = """
import os, socket, sys, time
if sys.argv[2] != "0": os.setuid(int(sys.argv[2]))
name = "\\0" + sys.argv[1]
held = []
for _ in range(400):
    one = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    one.connect(name)
    held.append(one)
print("connected", flush=True)
time.sleep(60)
"""


def test(t):
    t.need_root()
    go = t.path("go")
    command = ["sh", "-c", f'echo "$SYNCLINE_SOCKET" >{t.path("name")}; while [ ! -e {go} ]; do sleep 0.05; done; exec "$@"',
               "sh", t.victim("deep"), "2"]
    for user, words in ((NOBODY, ("not recorded: processes of another user tried 400", "uid 65534")), (0, ("said nothing",))):
        directory = t.new_directory()
        for path in (go, t.path("name")):
            if os.path.exists(path):
                os.unlink(path)
        started = t.start(t.launch(command, directory=directory))
        name = t.until(lambda: os.path.exists(t.path("name")) and t.text("name").strip(), "the name of the socket")
        crowd = t.start(["/usr/bin/python3", "-c", CONNECT, name, str(user)])
        t.until(lambda: b"connected" in crowd.output()[0], f"400 connections of uid {user}")
        open(go, "w").close()
        finished = started.wait(30)
        crowd.process.kill()
        crowd.wait(10)
        recording = t.finish(finished, directory)
        t.equal(recording.ending, "status 0", f"{recording}")
        t.check(recording.trace().ranges(), f"nothing was recorded: {recording}")
        t.equal(recording.manifest()["processes"][-1]["recorded_by"], "launcher", f"{recording}")
        t.said(recording, *words)
