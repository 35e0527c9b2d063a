# SPDX-License-Identifier: Apache-2.0
"""The version 2 library hands over shorter tables: no slot beyond them is written, and its ranges
are recorded."""

LABELS = ("sanitized",)


def test(t):
    t.equal(t.transparent([t.victim("nvtx_v2")]).trace().names(), ["from version 2"])
