# SPDX-License-Identifier: Apache-2.0
"""--gate cuda-profiler: what was launched between cudaProfilerStart and cudaProfilerStop, however late it runs; and a wait for what was
launched before is told as such, with no false gap."""

from collections import Counter

LABELS = ("gpu",)
GATE = ["--gate", "cuda-profiler"]


def test(t):
    t.simulated_only("the durations are those of the simulation")
    for calls in (["--cuda-api", "short"], ["--cuda-api", "full"]):
        recording = t.record([t.cuda_program("profiled_region")], [*GATE, *calls], {**t.gpu_environment(), "SIMGPU_DURATIONS": "*=3ms"})
        trace, gate = recording.trace(), recording.manifest()["processes"][0]["gate"]
        t.equal(Counter(op.name.split("(")[0] for op in trace.device_ops()), {"profiled": 6}, f"{calls}: operations")
        names = Counter(call.name for call in trace.calls())
        t.equal((names["cudaLaunchKernel"], names["cudaDeviceSynchronize"]), (6, 1), f"{calls}: {names}")
        t.equal(gate["windows"], 2, f"{gate}")
        outside = {s.args["launch"]: s for s in trace.outside()}
        [wait] = [w for w in trace.waits() if w.args["call"] == "cudaDeviceSynchronize"]
        t.check(outside[wait.args["waited_for"]].name.startswith("outside: before(") and not wait.args["already_done"], f"{wait} of {outside}")
        [gap] = trace.gaps()  # none that unrecorded work explains
        t.check(wait.begin < gap.begin <= wait.end < gap.end, f"{gap} is the one behind {wait}")
    if t.mode == "launcher":
        little_is_kept(t)
    env = {**t.gpu_environment(), "SIMGPU_DURATIONS": "profiled*=200us,*=3ms"}
    by_time = t.record([t.cuda_program("profiled_region")], [*GATE, "--cuda-api", "none"], env).trace()
    t.check({op.name.split("(")[0] for op in by_time.device_ops()} <= {"profiled", "between"} and by_time.device_ops(), f"{by_time.device_ops()}")
    options = ["--cuda-api", "none"]
    bare, open_gate = (t.record([t.cuda_program("profiled_region")], more, t.gpu_environment()).trace() for more in (options, [*options, "--duration", "1000s"]))
    shown = [sum(s.cat == "cuda_sync" for s in trace.slices()) for trace in (bare, open_gate)]
    t.check(shown[0] == shown[1] > 0, f"synchronisations without and with a gate that never closes: {shown}")


def little_is_kept(t):
    """Launches that nobody asked for, and that are over for long when CUPTI tells of them, leave little on disk, and each of them is
    counted."""
    program = [t.cuda_program("launch_rate"), "20"]
    env = {**t.gpu_environment(), "SIMGPU_DURATIONS": "*=100us"}  # a buffer of CUPTI's fills in 0.4 s
    whole, closed = (t.record(program, options, env).manifest() for options in ([], GATE))
    t.equal(closed["not_recorded"]["device_ops"], whole["device_ops"], "operations left out")
    t.check(closed["processes"][0]["record_bytes"] * 5 < whole["processes"][0]["record_bytes"], f"{closed['processes'][0]} beside {whole['processes'][0]}")
