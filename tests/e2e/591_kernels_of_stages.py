# SPDX-License-Identifier: Apache-2.0
"""Which kernels each stage launched: as many as the program launches there, as long as the simulated GPU ran them, and as long as the trace's
calls took."""

import json
import os

LABELS = ("gpu",)
STEPS, LAYERS = 6, 4
LONG_NS, SHORT_NS = 200_000, 10_000
DURATIONS = f"*gemm*={LONG_NS // 1000}us,*={SHORT_NS // 1000}us"
STAGES = {  # what the program launches in each of its steps
    "forward": {"gemm_forward": LAYERS, "relu_forward": LAYERS},
    "backward": {"gemm_backward": LAYERS},
    "all-reduce": {"ncclDevKernel_AllReduce_Sum_f32_RING_LL": 1},
    "optimizer": {"adam_step": 1},
}


def test(t):
    t.simulated_only()
    recording = t.record([t.cuda_program("training_step"), str(STEPS)], env={**t.gpu_environment(), "SIMGPU_DURATIONS": DURATIONS})
    folder = os.path.join(recording.directory, "report")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    for name, text in (("gone_breakdown.json", '{"schema": "syncline.stage-breakdown/1"}'), ("mine_breakdown.json", "{}")):
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    whole = json.loads(t.run([t.syncline, "report", recording.directory, "--all", "--format", "json"]).out)
    found = sorted(name for name in os.listdir(folder) if name.endswith("_breakdown.json"))
    t.equal(found, sorted(f"{name}_breakdown.json" for name in (*STAGES, "step", "mine")), "files of stages; what is no report's stays")
    trace = recording.trace()
    for name, kernels in STAGES.items():
        stage(t, folder, whole, name, name, kernels, own=True)
        calls(t, trace, folder, name)
    stage(t, folder, whole, "step #", "step", {kernel: count for kernels in STAGES.values() for kernel, count in kernels.items()}, own=False)
    text = t.run([t.syncline, "report", recording.directory, "--all"]).out.decode()
    t.check("Kernels by stage" in text and "forward: gemm_forward" in text, f"{text}")
    t.check("Kernels by stage" not in t.run([t.syncline, "report", recording.directory]).out.decode(), "without --all")


def stage(t, folder, whole, name, file_name, kernels, own):
    with open(os.path.join(folder, f"{file_name}_breakdown.json")) as file:
        told = json.load(file)
    t.equal((told["schema"], told["stage"], told["devices_are"]), ("syncline.stage-breakdown/1", name, "Simulated"))
    rows = [(row["name"].split("(")[0], row["launches"], round(1e6 * row["device_ms"])) for row in told["kernels"]]
    lasting = {kernel: LONG_NS if "gemm" in kernel else SHORT_NS for kernel in kernels}
    t.equal(sorted(rows), sorted((kernel, count * STEPS, count * STEPS * lasting[kernel]) for kernel, count in kernels.items()), name)
    t.equal(told["launches"], STEPS * sum(kernels.values()), name)
    t.equal([row["own_launches"] for row in told["kernels"]], [row["launches"] if own else 0 for row in told["kernels"]], f"own of {name}")
    t.equal([{key: value for key, value in row.items()} for row in whole["stage_kernels"] if row["stage"] == name], told["kernels"], "with --all")
    [sums] = [row for row in whole["stages"] if row["name"] == name]
    copies = 2 * STEPS if name == "step #" else STEPS if name == "optimizer" else 0
    t.equal(sums["launched"], told["launches"] + copies, f"operations of {name}")


def calls(t, trace, folder, name):
    """The CPU time is that of the calls in the stage's ranges, as the trace has them."""
    with open(os.path.join(folder, f"{name}_breakdown.json")) as file:
        told = json.load(file)["cpu_ms"]
    ranges = trace.ranges(name=name)
    launches = [call for call in trace.calls() if "LaunchKernel" in call.name and any(r.begin <= call.begin < r.end for r in ranges)]
    outermost = [call for call in launches if not any(o is not call and o.begin <= call.begin and call.end <= o.end for o in launches)]
    true_ns = sum(call.end - call.begin for call in outermost)
    t.check(abs(1e6 * told - true_ns) <= 10 * len(outermost), f"{name}: {1e6 * told:.0f} ns, calls of the trace {true_ns} ns")
