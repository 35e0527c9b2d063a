# SPDX-License-Identifier: Apache-2.0
"""Both wheels in a fresh environment, and PyTorch's CUDA wheel beside them: a training runs where there is no GPU, and a new `.item()` in its step
is a wait with file and line. Without the package --on-simulated-gpu ends with 125 and says what to install."""

import json
import os

import packages

MODES = ("launcher",)
LABELS = ("packages", "torch", "gpu")
TIMEOUT = 120
TRAINING = """import sys, torch
model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1)).to("cuda")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(5):
    loss = model(torch.ones(32, 64, device="cuda")).sum()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    if "item" in sys.argv:
        print(loss.item())
print(*{line.split()[-1] for line in open("/proc/self/maps") if "libcuda.so" in line})
"""
LINE = TRAINING.splitlines().index("        print(loss.item())") + 1


def test(t):
    t.simulated_only("the package is for machines without a GPU")
    wheel, gpu = packages.package(t, "syncline-*.whl"), packages.package(t, "syncline_simulated_gpu-*.whl")
    venv = packages.new_venv(t, "/usr/bin/python3", "venv")
    packages.pip(t, venv, "install", "--no-index", wheel)
    packages.see(t, venv, "torch-cuda")
    t.syncline = f"{venv}/bin/syncline"
    with open(t.path("train.py"), "w") as file:
        file.write(TRAINING)
    command = [f"{venv}/bin/python", "-W", "ignore", t.path("train.py")]
    refused = t.run([t.syncline, "--on-simulated-gpu", "--", *command])
    t.equal((refused.ending, refused.out), ("status 125", b""), f"{refused}")
    t.check(b"pip install ./syncline_simulated_gpu-*.whl" in refused.err, f"{refused}")

    packages.pip(t, venv, "install", "--no-index", gpu)
    t.equal(waits(t, command, venv), [], "a training that does not wait")
    [wait] = waits(t, [*command, "item"], venv)
    t.equal((wait["count"], wait["place"].rsplit("/", 1)[-1]), (5, f"train.py:{LINE} <module>"), f"{wait}")


def waits(t, command, venv):
    """The findings of a value that is read back. Kernels are long enough that the GPU is never done when the host looks."""
    env = {"SIMGPU_DURATIONS": "*=500us", "OMP_NUM_THREADS": "1"}
    done = t.past_exit_race(lambda: t.record(command, ["--on-simulated-gpu"], env), env)
    t.equal(done.ending, "status 0", f"{done}")
    t.equal(done.out.split()[-1].decode(), f"{venv}/libexec/syncline/simulated_gpu/lib/libcuda.so.1", "the only driver")
    told = json.loads(t.run([t.syncline, "report", "--format", "json", done.directory]).out)
    t.equal(told["devices_are"], "Simulated", "devices")
    with open(os.path.join(done.directory, "report", "report.html")) as file:
        t.check("Simulated" in file.read(), "the page says so")
    names = [device["name"] for device in done.trace().document["deviceProperties"]]
    t.check(names and all(name.startswith("Simulated ") for name in names), f"{names}")
    return [row for row in told["findings"] if row["kind"] == "read_back"]
