# SPDX-License-Identifier: Apache-2.0
"""Names are recorded exactly: 64 KiB, any bytes, one buffer for many names."""

LABELS = ("sanitized",)


def test(t):
    trace = t.record([t.victim("names")]).trace()
    names = trace.names()
    wanted = {
        "long " + "x" * (65536 - 9) + " end": 1,
        "caf\u00e9 \u20ac \U0001f680": 1,
        "": 1,
        '"rank": 77': 1,
        'quote " backslash \\ slash / tab \t newline \n escape \x1b delete \x7f': 1,
        "</script><b>&amp;": 1,
    }
    wanted.update({f"reused {i}": 1 for i in range(1000)})
    wanted.update({"s" * 190 + "%09d" % i: 1 for i in range(100)})
    wanted.update({"k" * i: 1 for i in range(40, 60)})
    t.counted(names, wanted)
    t.equal(len(names), len(wanted) + 2, "ranges")  # and the two that are not UTF-8
    for exact in (
        b"bad \xff\xfe utf8 \xc3(",
        b"surrogate \xed\xa0\x80 overlong \xc0\xaf cut \xe2\x82",
    ):
        [r] = [r for r in trace.ranges() if r.name.startswith(exact[:4].decode())]
        t.equal(r.args["name_bytes"], exact.hex(), "the bytes of a name that is not UTF-8")
