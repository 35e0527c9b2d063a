# SPDX-License-Identifier: Apache-2.0
"""Python multiprocessing: workers by fork and spawn that leave by os._exit, and pool workers, each
with a row."""

LABELS = ("python", "endings")


def test(t):
    python = t.venv("torch")
    for method in ("fork", "spawn"):
        trace = t.transparent([python, t.victim("workers.py"), method]).trace()
        names = trace.names()
        t.counted(
            names,
            {
                "parent": 1,
                **{f"worker {i}": 1 for i in range(3)},
                **{f"square {i}": 1 for i in range(6)},
            },
        )
        t.counted(names, {f"item {i}.{j}": 1 for i in range(3) for j in range(3)})
        for i in range(3):
            [worker] = trace.ranges(name=f"worker {i}")
            t.check(
                worker.pid != trace.ranges(name="parent")[0].pid, "a worker is in its parent's row"
            )
            t.equal(
                {
                    r.args["domain"]
                    for j in range(3)
                    for r in trace.ranges(name=f"item {i}.{j}", pid=worker.pid)
                },
                {"loader"},
            )
