# SPDX-License-Identifier: Apache-2.0
"""What ranks communicate while nothing computes is a finding, at the line that has it done, and hiding it brings what it takes."""

import json

import torchrun
from twins import marked_line

LABELS = ("gpu", "torch")
MODES = ("launcher",)
TIMEOUT = 120
STEPS, EACH_MS, GEMM_MS = 10, 20, 8  # five matrix products a step are more than its communication, which so has room beside them


def test(t):
    t.simulated_only("kernels take what the table says")
    env = t.torch_environment({"SIMGPU_DEVICES": "2", "SIMGPU_DURATIONS": f"*nccl*={EACH_MS}ms,*gemm*={GEMM_MS}ms,*=30us"})
    recording = t.past_exit_race(lambda: torchrun.record(t, "ddp_nccl", 2, str(STEPS), env=env), env)
    first = json.loads(t.run([t.syncline, "report", "--no-files", recording.directory, "--format", "json"]).out)["findings"][0]
    print({key: first[key] for key in ("problem", "place", "gain_ms", "count")})
    _, line = marked_line("tests/torch_programs/ddp_nccl.py", "communicates", "ddp")
    t.equal((first["kind"], "AllReduce of 2 ranks" in first["problem"]), ("communication", True))
    t.check(f"ddp_nccl.py:{line} main()" in first["place"], f"{first}")
    t.equal(first["stage"], "", "the library's own ranges are no stage of the program")
    t.check(0.85 * STEPS * EACH_MS < first["gain_ms"] < 1.1 * STEPS * EACH_MS, f"{first}")
