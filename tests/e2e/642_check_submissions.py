# SPDX-License-Identifier: Apache-2.0
"""What adds copies and kernels to a training step without a wait breaks the contract of the good program at its own line, too."""

import contracts

LABELS = ("gpu", "torch")
MODES = ("launcher",)
TIMEOUT = 300


def test(t):
    t.simulated_only("the contract knows what the simulated kernels are")
    base = contracts.record(t, "good")
    for case in contracts.SUBMITS:
        contracts.judge(t, case, base)
    contracts.judge(t, "event", base)
