# SPDX-License-Identifier: Apache-2.0
"""The Python stack of each wait is what the interpreter itself says of the waiting thread, line by line, in every version; its place is the
first frame that no installation brought."""

import json
import os

import interpreters
from syncline_test import ROOT

MODES = ("launcher",)
LABELS = ("gpu", "python")
TIMEOUT = 300
DEPTH = 128  # --stack.depth


def test(t):
    if not os.environ.get("E2E_GPU") and not os.path.exists(os.path.join(t.gpu_environment()["LD_LIBRARY_PATH"], "libcudart.so.13")):
        t.skip("the simulated GPUs were not built")
    for version, python in interpreters.found(t):
        truth = t.path(f"truth-{os.path.basename(os.path.dirname(os.path.dirname(python)))}")
        program = [python, os.path.join(ROOT, "tests", "python_programs", "frames.py"), truth]
        recording = t.record(program, env=t.gpu_environment())
        t.equal((recording.ending, recording.err), ("status 0", b""), version)
        t.equal(recording.losses(), {}, version)
        calls = recording.trace().calls(name="cudaStreamSynchronize")
        compared = 0
        for tid, stacks in map(json.loads, open(truth)):
            own = [call.args for call in calls if call.tid == tid]
            t.equal(len(own), len(stacks), f"Python {version}: waits of thread {tid}")
            for number, (args, frames) in enumerate(zip(own, stacks)):
                texts = [text(t, *frame) for frame in frames[:DEPTH]]
                wanted = {"where": place(frames[:DEPTH], texts), "stack": " < ".join(texts + ["..."] * (len(frames) > DEPTH))}
                found = {key: args.get(key) for key in wanted}
                t.equal(found, wanted, f"Python {version}: stack {number} of thread {tid}")
                compared += 1
        t.equal(compared, len(calls), f"Python {version}: waits that the program knows")
        t.check(compared > 2000, f"Python {version}: {compared} stacks")


def text(t, file, line, function):
    if file.startswith(t.directory + "/"):
        file = file[len(t.directory) + 1 :]
    while file.startswith("./"):
        file = file[2:]
    return file + (f":{line}" if line else "") + f" {function}" + ("" if function.endswith(">") else "()")


def place(frames, texts):
    own = [index for index, (file, _, _) in enumerate(frames) if file and file[0] != "<" and "/lib/python3" not in file]
    return texts[own[0] if own else 0]
