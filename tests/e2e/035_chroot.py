# SPDX-License-Identifier: Apache-2.0
"""Ranges before and after a chroot are recorded, those of a child there too."""

import os


def test(t):
    t.need_root()
    os.mkdir(t.path("root"))
    trace = t.transparent([t.victim("enter"), "chroot", t.path("root")]).trace()
    t.counted(
        trace.names(),
        (
            {"before": 1, "after": 1, "end": 1}
            if t.mode == "process"
            else {"before": 1, "after": 1, "child": 1, "end": 1}
        ),
    )
    if (
        t.mode == "launcher"
    ):  # nothing recorded before: the launcher is reached over its abstract address
        trace = t.transparent([t.victim("enter"), "chroot", t.path("root"), "late"]).trace()
        t.counted(trace.names(), {"after": 1, "child": 1, "end": 1})
