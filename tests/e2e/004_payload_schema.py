# SPDX-License-Identifier: Apache-2.0
"""Payloads described by a registered schema, as NCCL uses them, are decoded into named values."""

import json

LABELS = ("sanitized",)


def test(t):
    trace = t.record([t.victim("payload_schema")]).trace()
    found = trace.ranges(name="with payload")
    t.equal(len(found), 3, "ranges")
    for i, r in enumerate(found):
        text = json.dumps(r.args)
        for wanted in (
            '"bytes": %d' % (1000 + i),
            '"op": %d' % i,
            '"ratio": 0.5',
            '"x": %d' % -i,
            '"list": [1, 2, 3]',
            '"text": "text"',
        ):
            t.check(wanted in text, f"{wanted} is not in {text}")
