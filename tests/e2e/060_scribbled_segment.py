# SPDX-License-Identifier: Apache-2.0
"""A process goes on as without us while whoever holds its segment writes anything there: it believes nothing that it reads back."""

import array
import mmap
import os
import random
import socket
import struct

MODES = ("launcher",)
HEADER = 160 << 10  # a little more than a SegmentHeader: ring table, and the first rings' heads and tails
MAGIC = 0x4F485953


def hold(listener, seed):
    """Takes segments, answers as a launcher, and scribbles for ever."""
    chance, held = random.Random(seed), []
    bell = os.memfd_create("bell")
    os.ftruncate(bell, 4096)
    listener.settimeout(0.0)
    while True:
        try:
            connection, _ = listener.accept()
            connection.settimeout(1.0)
            _, rights, _, _ = connection.recvmsg(8192, 1024)
            for _, _, data in rights:
                [fd] = array.array("i", data[:4])
                held.append(mmap.mmap(fd, min(os.fstat(fd).st_size, HEADER)))
            connection.sendmsg([struct.pack("II", MAGIC, 1)], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [bell]))])
            connection.close()
        except (BlockingIOError, TimeoutError):
            pass
        for memory in held:
            at = chance.randrange(0, len(memory) - 4096, 8)
            kind = chance.randrange(4)
            memory[at:at + 4096] = (bytes(4096), b"\xff" * 4096, os.urandom(4096), struct.pack("IIQQQ", 1, 0, 2**62, 2**40, 0) * 128)[kind]


def test(t):
    name = t.path("s")
    env = {"LD_PRELOAD": t.library, "NVTX_INJECTION64_PATH": t.library, "SYNCLINE_SOCKET": name, "SYNCLINE_OUTPUT": t.path("out")}
    for seed in range(6 if t.full else 2):
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        listener.bind(name)
        listener.listen(64)
        holder = os.fork()
        if holder == 0:
            hold(listener, seed)
        for program in (["threads", "many", "300"], ["threads", "parallel", "8", "20000"], ["fast", "300000", "4"], ["deep", "600"]):
            finished = t.run([t.victim(program[0]), *program[1:]], env)
            t.equal(finished.ending, "status 0", f"{program}, seed {seed}: {finished}")
        os.kill(holder, 9)
        os.waitpid(holder, 0)
        listener.close()
        os.unlink(name)
