# SPDX-License-Identifier: Apache-2.0
"""What a process records in a chroot from which it cannot reach the launcher (a network namespace of its own) lies in the jail: the
launcher says so, and `syncline recover` writes its trace from outside."""

import os
import shlex

MODES = ("launcher",)


def test(t):
    t.need_root()
    jail, directory = t.path("jail"), t.new_directory()
    os.mkdir(jail)
    command = t.launch([t.need("unshare"), "-n", t.victim("enter"), "chroot", jail, "stay"], directory=directory)
    result = t.run(command)
    t.equal(result.ending, "status 0", f"{result}")
    inside = jail + directory
    t.said(result, jail, f"syncline recover {shlex.quote(inside)}")
    t.check(b"no process" not in result.err, f"{result}")
    recovered = t.run([t.syncline, "recover", inside])
    t.equal(recovered.status, 0, f"{recovered}")
    recording = t.finish(recovered, inside)
    t.counted(recording.trace().names(), {"after": 1, "child": 1, "end": 1})
    left = [name for _, _, files in os.walk(jail) for name in files if name.endswith((".segment", ".spool"))]
    t.equal(left, [], "what is left in the jail")
