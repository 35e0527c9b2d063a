# SPDX-License-Identifier: Apache-2.0
"""Programs of PyTorch that exist twice: a recording of the one that loses time says first of all what it loses time with, and what the
steps would take without it is what they take in the other. By the truth file the one waits in its steps as its case says, and the other
does not."""

import twin_prices
import twins

LABELS = ("gpu", "torch")
MODES = ("launcher",)
TIMEOUT = 300
ALONE = True  # times are compared
STEPS = 20


def test(t):
    t.simulated_only("kernels take what the table says, and the truth file tells of waits")
    cases = [twin for twin in twins.TWINS if twin.language == "torch"]
    listed = t.run(t.torch_program("twins"), env=t.gpu_environment()).out.decode().split()
    t.equal([twin.name for twin in cases], listed, "the table of the cases")
    for twin in cases:
        twin_prices.judge(t, twin, STEPS)
