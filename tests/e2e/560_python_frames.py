# SPDX-License-Identifier: Apache-2.0
"""The Python stack of each wait is what the interpreter itself says of the waiting thread, line by line, in every version; its place is the
first frame that no installation brought."""

import json
import os
import re

import interpreters
from syncline_test import ROOT

MODES = ("launcher",)
LABELS = ("gpu", "python")
TIMEOUT = 300
DEPTH = 128  # --stack.depth
COMPREHENSION = re.compile(r"(?:(?:\.<locals>)?\.<(?:list|dict|set)comp>|(?:\.<locals>)?\.<genexpr>)+$")


def test(t):
    if not os.environ.get("E2E_GPU") and not os.path.exists(os.path.join(t.gpu_environment()["LD_LIBRARY_PATH"], "libcudart.so.13")):
        t.skip("the simulated GPUs were not built")
    for version, python in interpreters.found(t):
        for options in ([], ["--no-stack-native"]):
            check_frames(t, version, python, options)
        check_callback(t, version, python)


def check_frames(t, version, python, options):
    truth = t.path(f"truth-{os.path.basename(os.path.dirname(os.path.dirname(python)))}{len(options)}")
    program = [python, os.path.join(ROOT, "tests", "python_programs", "frames.py"), truth]
    recording = t.record(program, options, env=t.gpu_environment())
    t.equal((recording.ending, recording.err), ("status 0", b""), version)
    t.equal(recording.losses(), {}, version)
    trace = recording.trace()
    calls = trace.calls(name="cudaStreamSynchronize")
    compared = 0
    for tid, stacks in map(json.loads, open(truth)):
        own = [call for call in calls if call.tid == tid]
        t.equal(len(own), len(stacks), f"Python {version}: waits of thread {tid}")
        for number, (call, frames) in enumerate(zip(own, stacks)):
            texts = [text(t, *frame) for frame in frames[:DEPTH]]
            wanted = {"where": place(frames[:DEPTH], texts), "frames": texts, "cut": len(frames) > DEPTH}
            pythons = [name for category, name in trace.frames(call) if category == "python"]
            found = {"where": call.args.get("where"), "frames": pythons, "cut": call.args["stack"].endswith(" < ...")}
            if options:  # nothing stands between Python's frames
                wanted["stack"] = " < ".join(texts + ["..."] * (len(frames) > DEPTH))
                found["stack"] = call.args["stack"]
            t.equal(found, wanted, f"Python {version}: stack {number} of thread {tid}")
            compared += 1
    t.equal(compared, len(calls), f"Python {version}: waits that the program knows")
    t.check(compared > 2000, f"Python {version}: {compared} stacks")


def check_callback(t, version, python):
    """Native frames stand between those of Python that they lie between."""
    program = os.path.join(ROOT, "tests", "python_programs", "callback.py")
    for options in ([], ["--no-stack-native"]):
        recording = t.record([python, program], options, env=t.gpu_environment())
        t.equal((recording.ending, recording.err), ("status 0", b""), version)
        trace = recording.trace()
        calls = trace.calls(name="cudaDeviceSynchronize")
        t.check(calls, f"Python {version}: no calls")
        for call in calls:
            frames = [name if category == "python" else "N" for category, name in trace.frames(call)]
            t.check(options or any("qsort" in name for _, name in trace.frames(call)), f"Python {version}: {trace.frames(call)}")
            found = [frame for at, frame in enumerate(frames) if frame != "N" or frames[at - 1 : at] != ["N"]]
            wanted = [f"{program}:12 compare()", f"{program}:18 sort()", f"{program}:21 <module>"]
            t.equal(found, wanted if options else ["N", wanted[0], "N", *wanted[1:]], f"Python {version}")


def text(t, file, line, function):
    if file.startswith(t.directory + "/"):
        file = file[len(t.directory) + 1 :]
    while file.startswith("./"):
        file = file[2:]
    return file + (f":{line}" if line else "") + f" {function}" + ("" if function.endswith(">") else "()")


def place(frames, texts):
    own = [index for index, (file, _, _) in enumerate(frames) if file and file[0] != "<" and "/lib/python3" not in file]
    text = texts[own[0] if own else 0]
    outer = COMPREHENSION.sub("", text)  # a line of its function
    return text if outer == text else outer + ("" if outer.endswith(">") else "()")
