# SPDX-License-Identifier: Apache-2.0
"""A setuid program runs as it should; the user is told that the system keeps Syncline out of it."""

import os
import shutil
import tempfile


def test(t):
    t.need_root()
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        os.chmod(folder, 0o755)
        program = os.path.join(folder, "hello_setuid")
        shutil.copy(t.victim("hello"), program)
        os.chown(program, 65534, 65534)
        os.chmod(program, 0o4755)
        recording = t.transparent([program, "x"], complete=False)
        t.said(recording, "setuid")
        recording = t.transparent(["bash", "-c", '"$0" 1; "$1"; true', t.victim("deep"), program])
        t.counted(recording.trace().names(), {"level 0": 1})
        t.said(recording, "1 setuid program was started", "hello_setuid", "sudo syncline")
        os.chown(program, 0, 0)
        os.chmod(program, 0o4755)
        recording = t.transparent(["bash", "-c", '"$0" 1; "$1"; true', t.victim("deep"), program])
        t.equal([line for line in recording.said if "setuid" in line], [], "root's own rights")
