# SPDX-License-Identifier: Apache-2.0
"""--on-simulated-gpu where NVIDIA's wheels are installed: PyTorch's libraries name their folders, which come before LD_LIBRARY_PATH. Here they are
files that no loader takes. Children of the program run on the simulated GPU too, and the user's own preload stays in front."""

import os
import subprocess

import packages

LABELS = ("torch", "gpu")
MODES = ("launcher",)
TIMEOUT = 120
PROGRAM = """import ctypes, subprocess, sys
import torch
nvml, count = ctypes.CDLL("libnvidia-ml.so.1"), ctypes.c_uint()
assert (nvml.nvmlInitWithFlags(0), nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)), count.value) == (0, 0, torch.cuda.device_count())
ones = torch.ones(64, device="cuda")
stale = torch.tensor([1.0, 2.0], device="cuda")
del stale  # where it was comes the count of what is not zero: as a whole number, 1.0 is a billion
assert ones.nonzero().shape[0] == 0 and "cuda" in str(ones)
print(torch.ones(4).to("cuda").cpu().tolist(), torch.cuda.get_device_name(0).split()[0])
if len(sys.argv) < 2:
    sys.stdout.flush()
    sys.exit(subprocess.call([sys.executable, "-W", "ignore", __file__, "child"]))
"""


def test(t):
    t.simulated_only("a real GPU has its own libraries")
    libraries = os.path.join(t.build, "simulated_gpu", "lib")
    python, *_ = t.torch_program("small_training")
    venv = packages.new_venv(t, "/usr/bin/python3", "venv")
    packages.see(t, venv, "torch-cuda")
    [site] = packages.site_packages(venv)
    copy_torch(python, site)
    wheel = os.path.join(site, "nvidia", "cu13", "lib")
    os.makedirs(wheel)
    for name in ("libcudart.so.13", "libcublas.so.13"):
        with open(os.path.join(wheel, name), "w") as file:
            file.write("not a library")
    with open(t.path("program.py"), "w") as file:
        file.write(PROGRAM)
    command = [f"{venv}/bin/python", "-W", "ignore", t.path("program.py")]
    env = {"OMP_NUM_THREADS": "1"}
    bare = t.run(command, {**env, "LD_LIBRARY_PATH": libraries})
    t.check(b"cu13/lib/libcudart.so.13: file too short" in bare.err, f"the wheel's comes first: {bare}")
    done = t.past_exit_race(lambda: t.record(command, ["--on-simulated-gpu", "--simulated-gpu", libraries], env), env)
    t.equal((done.ending, done.out), ("status 0", b"[1.0, 1.0, 1.0, 1.0] Simulated\n" * 2), f"{done}")
    t.equal(len({call.pid for call in done.trace().calls()}), 2, "processes that use the GPU")

    users = t.path("users.so")
    subprocess.run(["cc", "-shared", "-o", users, "-x", "c", "/dev/null"], check=True)
    printed = t.run([t.syncline, "run", "--on-simulated-gpu", "--simulated-gpu", libraries, "--dry-run", "--", *command], {"LD_PRELOAD": users})
    preload = [line.split("=", 1)[1].strip("'") for line in printed.out.decode().splitlines() if line.startswith("export LD_PRELOAD=")][-1]
    names = [os.path.basename(entry) for entry in preload.split(":")]
    t.equal(names, ["users.so", "libsyncline.so", "libcublas.so.13", "libcudart.so.13"], "in this order")


def copy_torch(python, site):
    """PyTorch by links, in a folder beside which the wheels may lie."""
    [torch] = [os.path.join(folder, "torch") for folder in packages.site_packages(os.path.dirname(os.path.dirname(python)))]
    os.makedirs(os.path.join(site, "torch", "lib"))
    for inside in ("", "lib"):
        for name in os.listdir(os.path.join(torch, inside)):
            if name not in ("lib", "__pycache__"):
                os.symlink(os.path.join(torch, inside, name), os.path.join(site, "torch", inside, name))
