# SPDX-License-Identifier: Apache-2.0
"""--torch ops with a PyTorch whose layout is not known: one line says so, nothing of it is called, and all else is recorded. The PyTorch
is the tests' own with another version beside its libraries."""

import os
import re

LABELS = ("torch",)
TIMEOUT = 240
VERSIONS = {
    "2.3.1": "--torch ops records nothing: this PyTorch is not known (2.3 is none of 2.4 to 2.15)",
    "2.99.0+cpu": "--torch ops records nothing: this PyTorch is not known (2.99 is none of 2.4 to 2.15)",
    "3.0.0a0": "--torch ops records nothing: this PyTorch is not known (3.0 is none of 2.4 to 2.15)",
    "": "--torch ops records nothing: nothing beside libtorch_cpu says which PyTorch it is",
}


def test(t):
    t.simulated_only()
    python, *rest = t.torch_program("small_training")
    for version, line in VERSIONS.items() if t.mode == "launcher" else [*VERSIONS.items()][:1]:
        env = {**t.torch_environment({"UNCOMPILED": "1"}), "PYTHONPATH": site_with(t, python, version)}
        command = [python, *rest, "2", "cuda", "nvtx"]
        recording = t.past_exit_race(lambda: t.record(command, ["--torch", "ops"], env), env)
        t.equal((recording.ending, recording.losses()), ("status 0", {}), f"{version}: {recording}")
        t.equal([said for said in recording.said if "--torch" in said], [f"syncline: error: {line}"], f"{version}: {recording}")
        trace = recording.trace()
        t.equal(trace.operators(), [], version)
        t.equal(sorted({r.name for r in trace.ranges()}), ["autograd.backward", "step 0", "step 1"], f"{version}: NVTX's ranges and ours")
        t.check(len(trace.device_ops()) > 100, f"{version}: {len(trace.device_ops())} operations of the GPU")


def site_with(t, python, version):
    """A folder with links to all of PyTorch but its version.py."""
    [torch] = [os.path.join(root, "torch") for root, folders, _ in os.walk(os.path.dirname(os.path.dirname(python))) if "torch" in folders
               and root.endswith("site-packages")]
    site = t.path(f"site-{version}")
    os.makedirs(os.path.join(site, "torch", "lib"))
    for inside in ("", "lib"):
        for name in os.listdir(os.path.join(torch, inside)):
            if name not in ("version.py", "lib", "__pycache__"):
                os.symlink(os.path.join(torch, inside, name), os.path.join(site, "torch", inside, name))
    with open(os.path.join(torch, "version.py")) as file:
        text = re.sub(r"(?m)^__version__ = .*$", f"__version__ = '{version}'" if version else "globals()['__version__'] = '2.15.0'", file.read())
    with open(os.path.join(site, "torch", "version.py"), "w") as file:
        file.write(text)
    return site
