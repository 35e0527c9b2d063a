# SPDX-License-Identifier: Apache-2.0
"""What people add to a training step, what makes it wait and what adds copies and kernels without a wait: each of them breaks the contract of the
good program at its own line."""

import contracts

LABELS = ("gpu", "torch")
MODES = ("launcher",)
TIMEOUT = 300


def test(t):
    t.simulated_only("the contract knows what the simulated kernels are")
    base = contracts.record(t, "good")
    for case in sorted(contracts.WAITS | contracts.SUBMITS.keys()):
        if case != "item":  # 640_check.py
            contracts.judge(t, case, base)
