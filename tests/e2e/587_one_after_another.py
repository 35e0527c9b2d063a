# SPDX-License-Identifier: Apache-2.0
"""A report tells in which order what is found is to be mended, and what each change brings when those before it are made. That is what
programs bring from which the same is truly removed."""

import chains

LABELS = ("gpu", "torch")
MODES = ("launcher",)
TIMEOUT = 300
ALONE = True  # times are compared


def test(t):
    t.simulated_only("kernels take what the table says")
    chains.judge(t, "common", ["data", "read"])
    chains.judge(t, "files", ["write", "synchronise"])
    chains.judge(t, "memory", ["make"])  # without the read alone, empty_cache() waits in its place
