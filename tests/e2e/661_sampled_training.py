# SPDX-License-Identifier: Apache-2.0
"""--sample of a training in PyTorch: what the host did while the GPU had nothing to do is the two functions that the program made slow, within 5
points, also where one of them calls thousands of others a second; the report has a sentence of both."""

import json

LABELS = ("torch",)
MODES = ("launcher",)
TIMEOUT = 120
POINTS = 0.05


def test(t):
    t.simulated_only()
    truth = t.path("truth")
    env = t.torch_environment({"SIMGPU_DURATIONS": "*gemm*=200us,*=10us"})
    recording = t.record([*t.torch_program("sampled_training"), truth], ["--sample=500"], env)
    t.equal(recording.ending, "status 0", f"{recording}")
    rows = json.loads(t.run([t.syncline, "report", "--no-files", "--format", "json", recording.directory]).out)["host_work"]
    told = json.load(open(truth))

    def share(lines):
        return sum(row["samples"] for row in rows if lines(row["line"])) / sum(row["samples"] for row in rows)

    # The innermost own line is that of the lambda within each, but for the little that spend() takes itself.
    collate, log = (share(lambda line, at=at: at(line)) for at in (lambda line: "Batches" in line, lambda line: "log_metrics" in line))
    print(f"{told} {collate:.3f} {log:.3f}")
    t.check(collate + log > 0.6, f"{rows}")  # on a busy machine the rest of a step takes longer, too
    wanted = told["collate"] / (told["collate"] + told["log"])
    t.check(abs(collate / (collate + log) - wanted) <= POINTS, f"{collate:.3f} {log:.3f}, {told}: {rows}")
    text = " ".join(t.run([t.syncline, "report", "--no-files", recording.directory]).out.decode().split())
    for part in ("of a step because of what the host does:", "Batches", "log_metrics"):
        t.check(part in text, f"{part}: {text}")
