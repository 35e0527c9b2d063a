# SPDX-License-Identifier: Apache-2.0
"""`syncline ncu` names the launch of median length: a stand-in for Nsight Compute, which counts the launches that fit its filters as NVIDIA
describes it, runs each printed command and comes to the launch that the truth file has there."""

import json
import os
import statistics
import subprocess

from gpu_truth import demangled, rows_of

LABELS = ("gpu",)
# Reads the options that are printed, runs the program, and says which launch of it would be profiled.
STAND_IN = '''#!/usr/bin/env python3
import json, os, re, subprocess, sys
words, options = sys.argv[1:], {}
while words[0].startswith("--"):
    name = words.pop(0)
    options[name] = True if name == "--nvtx" else words.pop(0)
truth = os.environ["NCU_TRUTH"]
if os.path.exists(truth):
    os.unlink(truth)
done = subprocess.run(words, env={**os.environ, "SIMGPU_TRUTH": truth}, stdout=subprocess.PIPE, text=True, check=True)
assert options["--target-processes"] == "all" and options["--kernel-name-base"] == "function", options
assert options["--launch-count"] == "1" and ("--nvtx" in options) == ("--nvtx-include" in options), options
fitting = []
for number, line in enumerate(done.stdout.splitlines()):
    function, *ranges = line.split("\\t")
    wanted = options.get("--nvtx-include")
    if wanted:
        assert not re.search(r"(?<!\\\\)[\\[\\],*+]", wanted), wanted
        wanted = re.sub(r"\\\\(.)", r"\\1", wanted)
    if function == options["--kernel-name"] and (not wanted or wanted in ranges):
        fitting.append(number)
with open(os.environ["NCU_CHOSEN"], "a") as file:
    file.write(json.dumps({"launch": fitting[int(options["--launch-skip"])], "options": options, "of": len(fitting)}) + "\\n")
'''


def launches(truth):
    """(function, kernel, nanoseconds) of each launch, in the order of the calls."""
    rows = sorted((row for row in rows_of(truth) if row["op"] == "kernel"), key=lambda row: row["correlation"])
    names = demangled(row["name"] for row in rows)
    return [(names[row["name"]].split("<")[0].split("(")[0].split("::")[-1].split(" ")[-1], names[row["name"]],
             row["end_ns"] - row["start_ns"]) for row in rows]


def test(t):
    t.simulated_only()
    folder = t.path("bin")
    os.makedirs(folder)
    with open(os.path.join(folder, "ncu"), "w") as file:
        file.write(STAND_IN)
    os.chmod(os.path.join(folder, "ncu"), 0o755)
    truth = t.path("truth")
    env = {**t.gpu_environment(), "SIMGPU_JITTER": "0.4", "SIMGPU_DURATIONS": "*Shift*=80us,*=300us"}
    program = t.cuda_program("staged_kernels")
    recording = t.record([program], env={**env, "SIMGPU_TRUTH": truth})
    true = launches(truth)
    t.check(len({length for _, _, length in true}) > 20, f"lengths differ: {true}")
    lines = [line.split("\t") for line in t.run([program], env=env).out.decode().splitlines()]
    t.equal([function for function, *_ in lines], [function for function, *_ in true], "what the program says it launched")
    t.check(b"no `ncu` on PATH" in t.run([t.syncline, "ncu", recording.directory, "--run"], env={"PATH": "/usr/bin:/bin"}).err, "without ncu")
    env = {**env, "PATH": f"{folder}:/usr/bin:/bin", "NCU_TRUTH": t.path("again")}
    everything = [i for i in range(len(true))]
    choose(t, recording, env, [], true, everything, nvtx=None)
    within = [i for i in everything if any("de[noise]" in name for name in lines[i][1:])]
    choose(t, recording, env, ["--stage", "de?noise*"], true, within, nvtx=r"media@de\[noise\]\*\/2/")
    choose(t, recording, env, ["--stage", "job"], true, [i for i in everything if "job" in lines[i][1:]], nvtx="job")
    choose(t, recording, env, ["--stage", "step #"], true, [i for i in everything if any("step" in n for n in lines[i][1:])], nvtx="step ")
    choose(t, recording, env, ["--top", "1"], true, everything, nvtx=None, top=1)
    bad_lines(t, recording)
    limited = t.record([program], ["--stages", "de?noise*@media,job"], env={key: env[key] for key in env if key != "PATH"})
    choose(t, limited, env, ["--stage", "de?noise*"], true, within, nvtx=r"media@de\[noise\]\*\/2/")
    done = t.run([t.syncline, "ncu", limited.directory])
    t.check(done.status == 125 and b"not all of the program was recorded" in done.out, f"{done}")
    graphs(t, env)
    of_a_job(t, env)


def choose(t, recording, env, options, true, candidates, nvtx, top=5):
    """Each kernel among the candidates, the costliest first, and of its launches there the median one."""
    wanted = {}
    for i in candidates:
        wanted.setdefault(true[i][1], []).append(i)
    wanted = sorted(wanted.values(), key=lambda own: -sum(true[i][2] for i in own))[:top]
    chosen = t.path("chosen")
    if os.path.exists(chosen):
        os.unlink(chosen)
    done = t.run([t.syncline, "ncu", recording.directory, *options, "--run"], env={**env, "NCU_CHOSEN": chosen})
    t.equal(done.status, 0, f"{options}: {done}")
    with open(chosen) as file:
        found = [json.loads(line) for line in file]
    medians = [next(i for i in own if true[i][2] == statistics.median_low(true[j][2] for j in own)) for own in wanted]
    t.equal([one["launch"] for one in found], medians, f"{options}: {done.out.decode()}")
    for one in found:
        told = one["options"].get("--nvtx-include")
        t.check(told is None if nvtx is None else told is not None and told.startswith(nvtx), f"{options}: {told}")
    again = launches(env["NCU_TRUTH"])  # of the last command: the same launch lasts as long again
    t.equal(again[medians[-1]][1:], true[medians[-1]][1:], f"{options}")
    printed = t.run([t.syncline, "ncu", recording.directory, *options])
    script = subprocess.run(["sh", "-n"], input=printed.out, capture_output=True)
    t.equal((printed.status, script.stderr), (0, b""), f"{options}: {printed}")
    t.equal(sum(line.startswith(b"ncu ") for line in printed.out.splitlines()), len(medians), f"{options}: {printed.out}")


def bad_lines(t, recording):
    for options, said in ((["--stage", "nothing"], b"no range fits"), (["--stage", "warm*", "--top", "0"], b"--top 0"), (["--tap", "3"], b"--top")):
        done = t.run([t.syncline, "ncu", recording.directory, *options])
        t.check(done.status == 125 and said in done.err and not done.out, f"{options}: {done}")


def graphs(t, env):
    """What was left out of the trace, and whole graphs: said, not guessed."""
    limited = t.record([t.cuda_program("staged_kernels")], ["--kernels", "*Shift*"], env)
    done = t.run([t.syncline, "ncu", limited.directory])
    t.check(done.status == 125 and b"leaves kernels out" in done.out, f"{done}")
    whole = t.record([t.cuda_program("annotated")], env=env)
    done = t.run([t.syncline, "ncu", whole.directory, "--top", "9"])
    t.check(b"--graph-profiling graph" in done.out and b"this is a whole graph" in done.out, f"{done}")


def of_a_job(t, env):
    """A rank's line becomes the profiler in that rank alone; what waits for other ranks has none."""
    as_rank = {"RANK": "1", "WORLD_SIZE": "2", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "2"}
    recording = t.record([t.cuda_program("training_step"), "3"], env={**env, **as_rank})
    printed = t.run([t.syncline, "ncu", recording.directory, "--top", "9"]).out.decode().splitlines()
    t.check(any("it waits for other ranks" in line for line in printed), f"{printed}")
    commands = [line for line in printed if not line.startswith("#")]
    t.equal(len(commands), 4, f"{printed}")
    for rank, profiled in (("1", 1), ("0", 0)):
        asked = t.path(f"asked-{rank}")
        tell = t.path("tell")
        os.makedirs(tell, exist_ok=True)
        with open(os.path.join(tell, "ncu"), "w") as file:
            file.write(f'#!/bin/sh\necho "$@" >> {asked}\n')
        os.chmod(os.path.join(tell, "ncu"), 0o755)
        done = t.run(["sh", "-c", commands[0]], env={**env, **as_rank, "RANK": rank, "PATH": f"{tell}:/usr/bin:/bin"})
        t.equal((done.status, os.path.exists(asked), b"3 steps" in done.out), (0, profiled == 1, profiled == 0), f"rank {rank}: {done}")
    with open(t.path("asked-1")) as file:
        t.check(file.read().endswith("training_step 3\n"), "the program's own words follow")
    refused = t.run([t.syncline, "ncu", recording.directory, "--run"], env=env)
    t.check(refused.status == 125 and b"is a rank of a job" in refused.err, f"{refused}")
