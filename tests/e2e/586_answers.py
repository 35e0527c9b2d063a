# SPDX-License-Identifier: Apache-2.0
"""The first finding of a small program names the line that costs it most. `scripts/bench answers` runs each of these and more five times, and
looks at the first three findings; that nothing is invented of programs that are as good as they can be is tested in 582."""

import answers

LABELS = ("gpu", "torch")
MODES = ("launcher",)
TIMEOUT = 300
# A busy machine's own delays cost as much as these few per cent.
FEW_PERCENT = ("metrics", "clip", "log_helper", "every_tenth", "checkpoints", "generate", "gives_back")


def test(t):
    t.simulated_only("kernels take what the table says")
    for program in answers.programs(t):
        kind, case = program.name.split()
        if kind != "answers" or program.mark is None or case in FEW_PERCENT:
            continue
        findings = answers.told(t, program)
        t.equal(answers.faults(program, findings[:1]), [], f"{program.name}: {findings[:2]}")
