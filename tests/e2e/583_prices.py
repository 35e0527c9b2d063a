# SPDX-License-Identifier: Apache-2.0
"""CUDA programs that exist twice: a recording of the one that loses time says first of all what it loses time with, and what the steps
would take without it is what they take in the other. By the truth file the one waits in its steps as its case says, and the other does
not."""

import twin_prices
import twins

LABELS = ("gpu",)
MODES = ("launcher",)
TIMEOUT = 240
ALONE = True  # times are compared
STEPS = 30


def test(t):
    t.simulated_only("kernels take what the table says, and the truth file tells of waits")
    cases = [twin for twin in twins.TWINS if twin.language == "cuda"]
    listed = t.run([t.cuda_program("twins")], env=t.gpu_environment()).out.decode().split()
    t.equal([twin.name for twin in cases], listed, "the table of the cases")
    for twin in cases:
        twin_prices.judge(t, twin, STEPS)
