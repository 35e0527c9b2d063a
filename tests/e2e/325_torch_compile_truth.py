# SPDX-License-Identifier: Apache-2.0
"""--torch-compile: the step of each compilation and what it took of it, its slice in the trace, and the operators and lines of each generated
kernel and fallback equal what the program says of itself."""

import json
import os

LABELS = ("torch", "gpu")
TIMEOUT = 200
MODES = ("launcher",)
FILE = "compiled_truth.py"


def test(t):
    t.simulated_only()
    t.venv("torch-compile")
    t.need("gcc")  # Triton builds a small library
    program = t.torch_program("compiled_truth", "torch-compile")
    caches = {"TORCHINDUCTOR_CACHE_DIR": t.path("inductor"), "TRITON_CACHE_DIR": t.path("triton"), "TORCHINDUCTOR_COMPILE_THREADS": "1"}
    recording = t.record(program, ["--torch-compile"], t.torch_environment(caches), timeout=150)
    t.equal(recording.status, 0, f"{recording}")
    report = json.loads(t.run([t.syncline, "report", "--no-files", "--format", "json", recording.directory]).out)
    with open(program[-1]) as source:
        lines = {line.split("# ")[1].strip(): number for number, line in enumerate(source, 1) if "  # " in line}
    steps(t, report, lines)
    code(t, report, lines)
    slices(t, recording.trace(), lines)


def of_file(text):
    """"compiled_truth.py:4 f()", wherever the file lies."""
    return text[text.find(FILE):]


def steps(t, report, lines):
    """The steps are those of the optimizer: what is before its second call is in step 0."""
    found = {row["number"]: row for row in report["compile_steps"]}
    t.equal({number: (row["count"], row["again"]) for number, row in found.items()}, {0: (1, 0), 1: (2, 0), 2: (1, 1), 3: (1, 0)}, "compilations by step")
    for number, function in enumerate(("fused", None, "fused", "fallen")):
        row = found[number]
        t.check(0.5 * row["of_ms"] < row["took_ms"] <= row["of_ms"], f"{row}: nearly nothing else is in the step")
        if function:
            t.check(of_file(row["longest"]).startswith(f"{FILE}:{lines['function ' + function]} {function}()"), f"{row}")
    [outlier] = [row for steps in report["steps"] for row in steps["outliers"] if row["number"] == 0]
    t.check(outlier["longer_by"].startswith("compiling ") and outlier["longer_by"].endswith(" fused()"), f"{outlier}")
    t.check("dtype mismatch" in found[2]["why"], f"{found[2]}")
    [broken] = [row for row in report["compilations"] if row["kind"] == "graph break"]
    t.equal(of_file(broken["where"]), f"{FILE}:{lines['break']}", f"{broken}")
    total = sum(row["took_ms"] for row in report["compilations"] if row["took_ms"])
    told = sum(row["took_ms"] for row in found.values())
    t.check(abs(total - told) < 1, f"{total} ms of compilations, {told} ms in steps")


def code(t, report, lines):
    kernels = {row["name"]: (row["operators"], of_file(row["lines"]), row["graphs"]) for row in report["compiled_kernels"]}
    fused = f"{FILE}:{lines['kernel add relu']},{lines['kernel mul']} fused()"
    rest = f"{FILE}:{lines['rest of broken']} broken()"
    fallen = f"{FILE}:{lines['fallback']} fallen()"
    wanted = {"triton_poi_fused_add_mul_relu_0": ("aten.add, aten.relu, aten.mul", fused, "0/0, 0/1"),
              "triton_poi_fused_add_0": ("aten.add", f"{FILE}:{lines['function broken'] + 1} broken()", "1/0"),
              "triton_poi_fused_mul_0": ("aten.mul", rest, "2/0"), "triton_poi_fused_sin_0": ("aten.sin", fallen, "3/0")}
    t.equal(kernels, wanted, "generated kernels")
    ran = {row["name"]: (row["total_ms"], row["count"]) for row in report["kernels"]}
    for row in report["compiled_kernels"]:
        t.equal((row["total_ms"], row["calls"]), ran[row["name"]], f"{row}")
    calls = [(row["name"], row["kind"], row["operators"], of_file(row["lines"]), row["graphs"]) for row in report["compiled_calls"]]
    t.equal(calls, [("aten.histc.default", "fallback", "aten.histc", fallen, "3/0")], "calls")


def slices(t, trace, lines):
    """Each lies within the range around the call that it is for; its phases lie within it."""
    events = [event for event in trace.events if event.get("cat") == "compile"]
    whole = [event for event in events if event.get("args")]
    t.equal([event["name"] for event in whole],
            ["torch.compile fused (frame 0)", "torch.compile broken (frame 1)", "torch.compile broken (frame 2)",
             "torch.compile fused (frame 0, recompile 1)", "torch.compile fallen (frame 3)"], "slices")
    ranges = {event["name"]: event for event in trace.events if event.get("name", "").startswith("call ") and event.get("ph") == "X"
              and event.get("cat") != "gpu_user_annotation"}
    for event, call in zip(whole, (1, 2, 2, 3, 4)):
        around = ranges[f"call {call}"]
        t.check(around["ts"] <= event["ts"] and event["ts"] + event["dur"] <= around["ts"] + around["dur"], f"{event} is not within {around}")
        within = [phase for phase in events if not phase.get("args") and event["ts"] <= phase["ts"] < event["ts"] + event["dur"]]
        t.check({"bytecode_tracing", "backend_compile", "inductor_compile"} <= {phase["name"] for phase in within}, f"phases: {within}")
        for phase in within:
            t.check(phase["ts"] + phase["dur"] <= event["ts"] + event["dur"] + 0.001, f"{phase} is not within {event}")
    t.equal((whole[3]["args"]["id"], whole[3]["args"]["what"]), ("[0/1]", "compiled again"), f"{whole[3]}")
    for event in trace.events:
        if event.get("cat") == "kernel" and event["name"] == "triton_poi_fused_add_mul_relu_0":
            t.equal(event["args"]["compiled_from"], "aten.add, aten.relu, aten.mul", f"{event}")
            t.equal(of_file(event["args"]["compiled_where"]), f"{FILE}:{lines['kernel add relu']},{lines['kernel mul']} fused()", f"{event}")
