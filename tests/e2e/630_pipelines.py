# SPDX-License-Identifier: Apache-2.0
"""Programs of diffusers and transformers as they are: stages by preset, calls, shapes and peaks of memory are those of a copy that counts itself."""

import json
import os

from syncline_test import ROOT

LABELS = ("torch", "gpu")
TIMEOUT = 300
MODES = ("launcher",)
# program, preset, arguments, stages at least
PROGRAMS = ("diffusion", "diffusers", ["4"], 7), ("serving", "transformers", [], 4), ("tuning", "transformers", [], 3)
REQUEST = "__main__.Server.answer"
# Once for each token. How many there are depends on a value of the device, which computes none: the server says it.
FORWARD = "transformers.models.llama.modeling_llama.LlamaForCausalLM.forward"


def test(t):
    t.simulated_only()
    env = t.torch_environment({"SIMGPU_DURATIONS": "*gemm*=200us,*=10us", "SIMGPU_DEVICES": "1", "HF_HUB_OFFLINE": "1"})
    for name, preset, arguments, least in PROGRAMS:
        program = [*t.torch_program(name, "pipelines"), *arguments]
        options = ["--preset", preset, "--signatures", *(["--python-ranges", f"{REQUEST}(request_id, most)"] if name == "serving" else [])]
        recording = t.past_exit_race(lambda: t.record(program, options, env, timeout=120), env)
        t.equal((recording.ending, recording.losses()), ("status 0", {}), f"{name}: {recording}")
        t.equal([line for line in recording.said if "no function" in line], [], f"{name}: a part of a preset is enough")
        truth, stages = counted(t, name, preset, arguments, env), told(t, recording)
        t.check(len(truth) >= least, f"{name}: {sorted(truth)}")
        if name == "serving":
            truth[FORWARD]["calls"] = sum(int(line.split()[1]) for line in recording.out.decode().splitlines())
            near_peaks(t, stages, truth)
        t.equal(stages, truth, name)
        if name == "serving":
            requests(t, recording)


def near_peaks(t, stages, truth):
    """How many requests have come when memory is highest is another moment's matter: each has one block of 512 bytes."""
    for stage, true in truth.items():
        t.check(abs(stages[stage]["peak"] - true["peak"]) <= 8 * 512, f"{stage}: {stages[stage]}, {true}")
        true["peak"] = stages[stage]["peak"]


def counted(t, name, preset, arguments, env):
    """By the program's own profile hook, without Syncline."""
    [*python, script] = t.torch_program(name, "pipelines")
    with open(os.path.join(ROOT, "launcher", "presets", f"{preset}.toml")) as file:
        patterns = [line.strip(' ",\n').split("(")[0] for line in file if line.startswith('  "')]
    out, counter = t.path(f"{name}.json"), os.path.join(ROOT, "tests", "torch_programs", "counted.py")
    done = t.run([*python, counter, out, ",".join(patterns), script, *arguments], env, timeout=120)
    t.equal(done.ending, "status 0", f"{name}: {done}")
    with open(out) as file:
        return json.load(file)


def told(t, recording):
    t.run([t.syncline, "report", recording.directory])
    with open(os.path.join(recording.directory, "report", "timing.json")) as file:
        stages = {stage["name"]: stage for stage in json.load(file)["stages"] if stage["domain"] == "py" and stage["name"] != REQUEST}
    with open(os.path.join(recording.directory, "report", "io_signature.json")) as file:
        signatures = {function["name"]: function for function in json.load(file)["functions"]}
    return {name: {"calls": stage["count"], "peak": stage["allocated_peak_bytes"], "shapes": shapes(signatures[name])} for name, stage in stages.items()}


def shapes(function):
    values = [(given["name"], given["value"]) for given in function["signatures"][0]["inputs"] if isinstance(given["value"], dict)]
    return {name: value["tensor"]["shape"] for name, value in values if "tensor" in value}


def requests(t, recording):
    """Each request took as long as the server says, and the GPU worked meanwhile."""
    said = {words[0]: words[1:] for words in map(str.split, recording.out.decode().splitlines())}
    t.equal(len(said), 8, f"{recording}")
    report = json.loads(t.run([t.syncline, "report", recording.directory, "--by", "request_id", "--format", "json"]).out)
    rows = {row["value"]: row for row in report["labels"]}
    t.equal(set(rows), set(said), "requests")
    for request, (_, seconds) in said.items():
        t.check(0 <= rows[request]["total_ms"] / 1000 - float(seconds) < 0.02, f"{request}: {rows[request]}, it says {seconds} s")
    [whole] = [stage for stage in report["stages"] if stage["domain"] == "py.call"]
    [work] = [stage for stage in report["stages"] if stage["name"].endswith(".generate")]
    t.equal((whole["count"], whole["allocated_peak_bytes"]), (8, work["allocated_peak_bytes"]), "the peak is another thread's")
    t.check(whole["busy_ms"] >= work["busy_ms"] > 0, f"busy while they were open: {whole}, {work}")
