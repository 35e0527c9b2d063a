# SPDX-License-Identifier: Apache-2.0
"""What findings say of devices, kernels and ranges is what the simulated GPUs' truth files say; and HTA says the same of the traces."""

import json
import os

from findings_truth import Judge, TrueRank

LABELS = ("gpu", "readers")
TIMEOUT = 240
PROGRAMS = ("annotated", "training_step 20", "graphs", "multi_device", "copies", "launch_rate 20")
HARNESS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "harness")


def test(t):
    t.simulated_only("a real GPU writes no truth file")
    trained = None
    for program in PROGRAMS:
        name, *arguments = program.split()
        truth = t.path(f"{name}.truth")
        recording = t.record([t.cuda_program(name), *arguments], env={**t.gpu_environment(), "SIMGPU_TRUTH": truth})
        t.equal(recording.losses(), {}, program)
        told = t.run([t.syncline, "findings", recording.directory, "--json"]).out
        judged = Judge(json.loads(told), "rank-0", TrueRank(recording.trace().path, truth))
        t.equal(judged.faults, [], program)
        t.check(judged.compared > 10, f"{program}: only {judged.compared} numbers were compared")
        if name == "training_step":
            trained = recording, told
    against_hta(t, *trained)


def against_hta(t, recording, told):
    path = t.path("findings.json")
    with open(path, "wb") as file:
        file.write(told)
    compared = t.run([t.venv("hta"), os.path.join(HARNESS, "findings_against_hta.py"), recording.directory, path],
                     {"HTA_DISABLE_NS_ROUNDING": "1"}, timeout=100)
    t.equal(compared.status, 0, f"{compared}")
