# SPDX-License-Identifier: Apache-2.0
"""Where memfd_create is refused, the segment is a file, and everything is recorded all the same."""


def test(t):
    program = [t.victim("seccomp_memfd"), t.victim("threads"), "parallel", "4", "100"]
    trace = t.transparent(program).trace()
    t.counted(trace.names(), {"round": 400})
