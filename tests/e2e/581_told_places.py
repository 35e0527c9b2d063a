# SPDX-License-Identifier: Apache-2.0
"""One habit at many lines is one finding; a function that many lines call is told by the caller that pays; a line that leads into a
package is told with the package's line; a GPU that waits for another one is told so. The same in each run."""

import json
import os

from twins import marked_line

LABELS = ("gpu", "torch")
MODES = ("launcher",)
TIMEOUT = 300
RUNS = 5
CUDA = "tests/simulated_gpu/programs/habits.cu"
PACKAGE = '''class Trainer:
    def fit(self, model, batches):
        for batch in batches:
            self.progress(model(self.batch_to(batch)).square().mean())

    def batch_to(self, batch):
        return batch.to("cuda")

    def progress(self, loss):
        self.shown = loss.item()
        for i in range(20000):
            self.shown += i
'''
PROGRAM = '''import torch
from some_trainer.loop import Trainer

model = torch.nn.Sequential(*[torch.nn.Linear(128, 128) for _ in range(8)]).cuda()
Trainer().fit(model, [torch.ones(64, 128) for _ in range(40)])
'''


def test(t):
    t.simulated_only("kernels take what the table says")
    first, last = marked_line(CUDA, "first", "checks")[1], marked_line(CUDA, "last", "checks")[1]
    place, caller = marked_line(CUDA, "place", "wrapper")[1], marked_line(CUDA, "caller", "wrapper")[1]
    for case, wanted in (("checks", ("device_wait", f",{last} ", "at 4 lines")),
                         ("wrapper", ("read_back", f":{caller} (anonymous namespace)::Residual(), in ", "")),
                         ("two_gpus", ("other_device", "Long(float*)", ""))):
        found = {told(t, [t.cuda_program("habits"), case]) for _ in range(RUNS)}
        t.equal(len(found), 1, f"{case}: {found}")
        [(kind, where, lines)] = found
        t.check(kind == wanted[0] and wanted[1] in where and lines == wanted[2], f"{case}: {found}")
        if case == "checks":
            t.check(f":{first}," in where, f"{case}: {where}")
        if case == "wrapper":
            t.check(f":{place} " in where, f"{case}: {where}")
    package(t)


def package(t):
    folder = t.path("site-packages")
    os.makedirs(os.path.join(folder, "some_trainer"))
    for name, text in (("some_trainer/__init__.py", ""), ("some_trainer/loop.py", PACKAGE)):
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    program = t.path("uses.py")
    with open(program, "w") as file:
        file.write(PROGRAM)
    kind, where, _ = told(t, [*t.torch_program("idle")[:-1], program], {**t.torch_environment(), "PYTHONPATH": folder})
    t.check(kind == "read_back" and where.endswith("uses.py:5 <module>, in some_trainer/loop.py:10 Trainer.progress()"), f"{kind}: {where}")


def told(t, command, env=None):
    env = {**(env or t.gpu_environment()), "SIMGPU_DURATIONS": "*Long*=1ms,*Next*=200us,*gemm*=600us,*=200us", "SIMGPU_DEVICES": "2"}
    recording = t.past_exit_race(lambda: t.record(command, env=env), env)
    t.equal(recording.status, 0, str(recording))
    found = json.loads(t.run([t.syncline, "report", recording.directory, "--format", "json"]).out)["findings"]
    # A machine with other work is slow on the way to the next launch, wherever that is.
    worth = [finding for finding in found if finding["worth"] and finding["kind"] != "slow_launch"]
    t.check(worth, f"{found}")
    return worth[0]["kind"], worth[0]["where"], worth[0]["lines"]
