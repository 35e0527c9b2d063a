# SPDX-License-Identifier: Apache-2.0
"""What a report says that a job of several ranks would gain is what the job's twin gains: where one rank comes late, where ranks come late
in turn, and where all do the same."""

import rank_twins

LABELS = ("gpu", "torch")
MODES = ("launcher",)
TIMEOUT = 300
ALONE = True  # times are compared


def test(t):
    t.simulated_only("kernels take what the table says")
    for case in ("late_data", "in_turn", "all_load"):
        rank_twins.judge(t, case, 2)
