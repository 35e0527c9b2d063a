# SPDX-License-Identifier: Apache-2.0
"""Each line of docs/stages.md and docs/pytorch.md that begins with `syncline`, or has it behind a launcher of ranks, does what it says for small
programs of the names that it has: nothing is refused, what it names is there, and a report shows what was recorded for it. Launchers of ranks
have tests of their own: here one rank is started without them."""

import os
import re
import sys

from syncline_test import ROOT

LABELS = ("gpu", "torch")
MODES = ("launcher",)
TIMEOUT = 300
LINE = re.compile(r"^    ((?:\w+=\S+ )*(?:mpirun .*|torchrun .*)?syncline(?: .*)?)$", re.M)
# What would need time or ranks.
OTHERWISE = (
    (r"(mpirun -n 64|torchrun --nproc-per-node \d (--no-python )?(?=syncline)) ?", ""),
    (r"torchrun --nproc-per-node \d ", "python "),
    (r"--delay 30s", "--delay 100ms"),
    (r"\bDIR\b", "syncline-out/latest"),
    (r"     with the operator .*", ""),
)
# That no function of a framework's preset was called is true here, and no fault.
REFUSED = re.compile(r"error:|no range fits|no function that was called|none of the|nothing was recorded|no event is in it|ignored")
STEPS = """import os, sys, time
import syncline
class Engine:
    def step(self, request_id, batch):
        time.sleep(0.001)
class Batch:
    size = 3
def main():
    for number in range(13):
        with syncline.region(f"step {number}"), syncline.region("Optimizer.step#SGD.step"):
            for name in ("warm-up", "forward", "backward", "denoise", "vae_decode"):
                with syncline.region(name): time.sleep(0.001)
        Engine().step(f"r{number}", Batch())
"""
SCRIPT = "import serve\nserve.main()\n"
TRAINING = """import time
import torch
import uncompiled
from torch.profiler import record_function
uncompiled.leave_dynamo_out()
def main():
    net = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.GELU(), torch.nn.Linear(64, 64)).cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    data = torch.ones(16, 64, device="cuda")
    for number in range(13):
        with record_function(f"ProfilerStep#{number}"), record_function("denoise"):
            net(data).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
    torch.cuda.synchronize()
    time.sleep(0.02)  # docs/pytorch.md: PyTorch's race at exit
main()
"""


def test(t):
    t.simulated_only()
    lines = [(page, line) for page in ("stages.md", "pytorch.md") for line in lines_of(page)]
    t.check(len(lines) > 40, f"{len(lines)} lines")
    folders = {"stages.md": stages_folder(t), "pytorch.md": torch_folder(t)}
    done = set()
    for page, line in lines:
        command = line
        for words, instead in OTHERWISE:
            command = re.sub(words, instead, command)
        of_kernels = command.startswith("syncline ncu ")
        folder = folders["pytorch.md" if of_kernels else page]
        if of_kernels and not os.path.exists(os.path.join(folder, "syncline-out")):
            run(t, page, line, "syncline -- python generate.py", folder)
        if (folder, command) not in done:
            run(t, page, line, command, folder)
        done.add((folder, command))


def lines_of(page):
    with open(os.path.join(ROOT, "docs", page)) as file:
        return [line for line in LINE.findall(file.read()) if not line.startswith("syncline: ")]


def run(t, page, line, command, folder):
    env = {**t.torch_environment(), "PYTHONPATH": folder, "PATH": f"{folder}/bin:/usr/bin:/bin"}
    done = t.past_exit_race(lambda: t.run(["sh", "-c", command], env=env, cwd=folder, timeout=60), env)
    t.equal(done.ending, "status 0", f"{page}: {line}: {done}")
    said = "\n".join(one for one in done.err.decode().splitlines() if one.startswith("syncline: "))
    refused = REFUSED.search(said)
    t.check(refused is None, f"{page}: {line}: {done}")
    records = " -- " in command
    t.check("syncline: wrote " in said or (not records and done.out.strip() != b""), f"{page}: {line}: {done}")


def write(folder, name, text, mode=0o644):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, mode)


def new_folder(t, name, python):
    folder = t.path(name)
    write(folder, "bin/python", f'#!/bin/sh\nexec {python} "$@"\n', 0o755)
    os.symlink(t.syncline, os.path.join(folder, "bin", "syncline"))
    return folder


def stages_folder(t):
    folder = new_folder(t, "stages", sys.executable)
    os.symlink(os.path.join(ROOT, "packaging", "wheel"), os.path.join(folder, "syncline"))
    write(folder, "serve.py", STEPS + 'if __name__ == "__main__":\n    import serve\n    serve.main()\n')
    write(folder, "train.py", SCRIPT)
    write(folder, "run_everything.sh", "#!/bin/sh\nbash -c true\npython train.py\n", 0o755)
    write(folder, "mine.toml", 'package = "mine"\npython-ranges = ["serve.Engine.step"]\n')
    for name in ("run.toml", "syncline.toml"):
        write(folder, name, 'stages = ["denoise*"]\n')
    program = t.cuda_program("profiled_region")
    write(folder, "solver", f'#!/bin/sh\nexec {program} "$@"\n', 0o755)
    write(folder, "server", "#!/bin/sh\nsleep 0.3\nexec python train.py\n", 0o755)
    write(folder, "generate.py", SCRIPT)
    return folder


def torch_folder(t):
    folder = new_folder(t, "torch", f"{t.torch_program('small_training')[0]} -W ignore")
    os.symlink(os.path.join(ROOT, "tests", "torch_programs", "uncompiled.py"), os.path.join(folder, "uncompiled.py"))
    write(folder, "bin/ncu", "#!/bin/sh\necho profiled\n", 0o755)
    for name in ("train.py", "generate.py"):
        write(folder, name, TRAINING)
    return folder
