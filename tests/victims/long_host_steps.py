# SPDX-License-Identifier: Apache-2.0
"""Forty steps of 8 ms on the host. Steps 9, 19 and 30 take 60 ms longer: before the next one, in a range, in none."""

import time

import nvtx

LONGER = 0.06


def nap(seconds, longer=False):
    time.sleep(seconds + LONGER * longer)


for number in range(40):
    with nvtx.annotate("load"):
        nap(0.002, number == 10)  # what lies before a step belongs to the one before it
    with nvtx.annotate(f"step {number}/40"):
        with nvtx.annotate("forward"):
            nap(0.002)
            with nvtx.annotate("parse"):
                nap(0.002, number == 19)
        nap(0.002, number == 30)
