# SPDX-License-Identifier: Apache-2.0
"""The C interface: nesting, wide names, marks, start/end, domains, categories, colours and every
payload type."""

LABELS = ("sanitized",)


def test(t):
    trace = t.transparent([t.victim("nvtx_c")]).trace()
    ranges = {r.name: r for r in trace.ranges()}
    t.equal(
        sorted(ranges),
        sorted(
            [
                "main",
                "first",
                "wide \u00e9\u20ac",
                "overlap a",
                "overlap b",
                "u64",
                "i64",
                "f64",
                "u32",
                "i32",
                "f32",
                "registered",
                "in domain",
            ]
        ),
    )
    t.counted(trace.names(), {"registered": 2, "main": 1})
    t.equal([m.name for m in trace.marks()], ["here", "in domain"])
    t.check(
        "main > first" in trace.paths() and "main > registered > in domain" in trace.paths(),
        trace.paths(),
    )
    wanted = {
        "u64": [2**64 - 1, str(2**64 - 1), hex(2**64 - 1)],
        "i64": [-5],
        "f64": [2.5],
        "u32": [4000000000],
        "i32": [-7],
        "f32": [0.5],
    }
    for name, values in wanted.items():
        t.check(ranges[name].args.get("payload") in values, f"{ranges[name]}")
    t.equal(ranges["registered"].args["domain"], "physics")
    t.equal(ranges["registered"].args["category"], "solver")
    t.check("color" in ranges["registered"].args, f"{ranges['registered']}")
    t.check(ranges["overlap a"].tid != ranges["overlap b"].tid, "ranges that overlap share a row")
    resources = trace.metadata["resources"]
    t.equal([(r["name"], r["type"]) for r in resources], [("lock of the queue", 65537)])
    t.check("chief" in trace.thread_names().values(), f"{trace.thread_names()}")
