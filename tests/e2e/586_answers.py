# SPDX-License-Identifier: Apache-2.0
"""The first finding of a small program names the line that costs it most. `scripts/bench answers` runs each of these and more five times, and
looks at the first three findings; that nothing is invented of programs that are as good as they can be is tested in 582."""

import answers

LABELS = ("gpu", "torch")
MODES = ("launcher",)
TIMEOUT = 300
NOT_YET = ("epochs",)  # what happens between two passes of an inner loop is told of the inner loop's line
FEW_PERCENT = ("metrics", "clip", "log_helper", "every_tenth")  # a busy machine's own delays cost more


def test(t):
    t.simulated_only("kernels take what the table says")
    for program in answers.programs(t):
        kind, case = program.name.split()
        if kind != "answers" or program.mark is None or case in NOT_YET + FEW_PERCENT:
            continue
        findings = answers.told(t, program)
        t.equal(answers.faults(program, findings[:1]), [], f"{program.name}: {findings[:2]}")
