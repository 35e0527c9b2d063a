# SPDX-License-Identifier: Apache-2.0
"""Another user who bound the name of a launcher that is gone gets nothing: no memory, no note; the process drains itself."""

import os
import socket

NOBODY = 65534


def test(t):
    t.need_root()
    name = t.path("gone/s")
    told, ready = os.pipe(), os.pipe()
    impostor = os.fork()
    if impostor == 0:
        os.setuid(NOBODY)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        listener.bind("\0" + name)
        listener.listen(16)
        os.write(ready[1], b"x")
        while True:
            connection, _ = listener.accept()
            data, rights, _, _ = connection.recvmsg(8192, 1024)
            os.write(told[1], b"%d bytes, %d rights;" % (len(data), len(rights)))
    try:
        os.read(ready[0], 1)
        directory = t.new_directory()
        env = {"LD_PRELOAD": t.library, "SYNCLINE_SOCKET": name, "SYNCLINE_OUTPUT": directory,
               "NVTX_INJECTION64_PATH": t.library, "RANK": "0", "WORLD_SIZE": "1", "LOCAL_RANK": "0"}
        finished = t.run([t.victim("deep"), "2"], env)
        t.equal(finished.ending, "status 0", f"{finished}")
        t.until(lambda: t.is_complete(directory), "the process's own trace")
        heard = os.read(told[0], 4096).decode()
        t.check("0 bytes, 0 rights;" in heard, f"nobody asked the impostor: {heard}")
        t.equal(heard.replace("0 bytes, 0 rights;", ""), "", "what the impostor got")
    finally:
        os.kill(impostor, 9)
        os.waitpid(impostor, 0)
    t.check(t.finish(finished, directory).trace().ranges(), "nothing was recorded")
