# SPDX-License-Identifier: Apache-2.0
"""Processes whose library writes records of another layout are sent away and told in one line; what fits is recorded beside them."""

MODES = ("launcher",)
# What each layout sends: magic and layout first, the rest is its own. Twice the offer of a segment, once a note.
FOREIGN = """
import array, os, socket, struct, sys
for magic, body in ((b"SYHO", 100), (b"SYSN", 900), (b"SYHO", 40)):
    one = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    one.connect(os.environ["SYNCLINE_SOCKET"])
    memory = array.array("i", [os.memfd_create("segment")] if magic == b"SYHO" else [])
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, memory)] if memory else []
    one.sendmsg([magic + struct.pack("=I", 99) + bytes(body)], rights)
    magic, accepted = struct.unpack("=II", one.recv(100))
    assert accepted == 0
"""


def test(t):
    program = ["sh", "-c", 'for i in 1 2; do /usr/bin/python3 -S -c "$1" || exit 1; done; exec "$2" 2', "sh", FOREIGN, t.victim("deep")]
    recording = t.record(program)
    t.equal(recording.ending, "status 0", f"{recording}")
    t.check(recording.trace().ranges(), f"nothing was recorded: {recording}")
    t.said(recording, "not recorded: 2 processes", "layout 99", "reads layout")
    t.equal(len([line for line in recording.said if "layout" in line]), 1, f"{recording}")
