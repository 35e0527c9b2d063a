# SPDX-License-Identifier: Apache-2.0
"""Waits for messages in `halo` and for a file in `checkpoint`; sends, which waits for nothing. Prints how long each waited by its own clock."""

import ctypes
import sys
import time

MODULE = ctypes.CDLL(sys.argv[1])
STEPS = 20


def halo():
    MODULE.exchange_halo()


def checkpoint():
    MODULE.exchange_checkpoint()


def timed(function):
    begin = time.monotonic_ns()
    function()
    return time.monotonic_ns() - begin


waited = {halo: 0, checkpoint: 0}
for step in range(STEPS):
    waited[halo] += timed(halo)
    if step % 5 == 4:
        waited[checkpoint] += timed(checkpoint)
print(waited[halo], waited[checkpoint])
