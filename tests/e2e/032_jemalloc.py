# SPDX-License-Identifier: Apache-2.0
"""A program under jemalloc records as any other."""

import glob


def test(t):
    found = glob.glob("/usr/lib/*/libjemalloc.so.2")
    if not found:
        t.skip("libjemalloc2 is not installed")
    env = {"LD_PRELOAD": found[0]}
    t.counted(
        t.transparent([t.victim("threads"), "parallel", "4", "100"], env=env).trace().names(),
        {"round": 400},
    )
    t.counted(t.transparent([t.victim("spawn"), "fork"], env=env).trace().names(), {"child": 1})
