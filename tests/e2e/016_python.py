# SPDX-License-Identifier: Apache-2.0
"""A Python program with the `nvtx` package: names, domains, categories, payloads, threads."""

LABELS = ("python",)


def test(t):
    python = t.venv("torch")
    trace = t.transparent([python, t.victim("nvtx_package.py")]).trace()
    t.counted(
        trace.names(),
        {
            "whole": 1,
            "step 0": 1,
            "step 1": 1,
            "step 2": 1,
            "decorated": 4,
            "inside": 4,
            "started": 1,
        },
    )
    t.check("whole > step 1 > decorated > inside" in trace.paths(), f"{trace.paths()}")
    t.equal([m.name for m in trace.marks()], ["mark"])
    t.equal(
        {
            (r.args["domain"], r.args["category"], r.args["payload"])
            for r in trace.ranges(name="inside")
        },
        {("loader", "decode", 5)},
    )
    t.equal(
        [r.args["payload"] for i in range(3) for r in trace.ranges(name=f"step {i}")], [0, 1, 2]
    )
