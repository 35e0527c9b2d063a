# SPDX-License-Identifier: Apache-2.0
"""No NVTX call changes errno."""


def test(t):
    t.equal(
        t.transparent([t.victim("errno")], options=["--memory-ring", "64M"]).out,
        b"errno was kept\n",
    )
