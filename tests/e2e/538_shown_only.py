# SPDX-License-Identifier: Apache-2.0
"""--min-duration and --kernels limit what the trace shows to exactly that; the counts and what is found out are of everything."""

import json
from collections import Counter

import gpu_truth

LABELS = ("gpu",)
MODES = ("launcher",)
LIMIT_NS = 100_000


def is_gemm(row, names):
    return row["op"] != "kernel" or "gemm" in names[row["name"]]


def test(t):
    t.simulated_only()
    truth = t.path("%p.truth")
    env = {**t.gpu_environment(), "SIMGPU_DURATIONS": "*gemm*=300us,*=40us", "SIMGPU_TRUTH": truth}
    asked = {("--min-duration", "100us"): lambda row, _: row["end_ns"] - row["start_ns"] >= LIMIT_NS,
             ("--kernels", "*gemm*"): is_gemm}
    for options, is_shown in asked.items():
        recording = t.record([t.cuda_program("training_step"), "5"], options, env)
        trace, manifest = recording.trace(), recording.manifest()
        true = gpu_truth.true_operations(t.truth(trace, env), False)
        names = gpu_truth.demangled(row["name"] for rows in true.values() for row in rows if "name" in row)
        wanted = {key: sum(is_shown(row, names) for row in rows) for key, rows in true.items()}
        told = Counter({key: len(rows) for key, rows in gpu_truth.told_operations(trace).items()})
        t.equal(dict(told), {key: count for key, count in wanted.items() if count}, f"{options}: operations")
        everything = sum(len(rows) for rows in true.values())
        t.check(0 < sum(told.values()) < everything, f"{options} leaves nothing or everything out: {told}")
        t.equal((manifest["device_ops"], manifest["not_shown"]["device_ops"]), (sum(told.values()), everything - sum(told.values())), f"{options}")
        launched = {op.args["correlation"] for op in trace.device_ops()}
        t.check(launched <= {call.args.get("correlation") for call in trace.calls()}, f"{options}: an operation without its call")
        hidden = sum(manifest["not_shown"].values())
        t.check(f"; {hidden:,} more are not shown, as asked" in recording.said[0], f"{recording}")
        found = t.run([t.syncline, "findings", "--json", recording.directory])
        kernels = sum(row["count"] for row in json.loads(found.out)["kernels"])
        t.equal(kernels, sum(row["op"] in ("kernel", "graph_launch") for rows in true.values() for row in rows), f"{options}: kernels found")
        if options[0] == "--min-duration":
            short = [s for s in trace.ranges() if s.end - s.begin < LIMIT_NS]
            t.check(not short, f"ranges that are too short: {short}")
