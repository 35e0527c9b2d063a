# SPDX-License-Identifier: Apache-2.0
"""What the package of the simulated GPU promises of itself: no symbol newer than glibc 2.17, no path of the machine that built it, no other library needed, no
name of C++ shown, every function that PyTorch's wheel imports, licences and a README, and nothing left behind."""

import glob
import os
import re
import subprocess
import zipfile

import packages

MODES = ("launcher",)
LABELS = ("packages",)
NEEDED = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "ld-linux-x86-64.so.2"}
LICENSES = ("LICENSE", "llvm-libcxx.txt", "llvm-libunwind.txt", "nvtx.txt", "zig-compiler-rt.txt")


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def names(path, what):
    return {line.split()[-1].split("@")[0] for line in output("nm", "-D", what, path).splitlines()}


def test(t):
    wheel = packages.package(t, "syncline_simulated_gpu-*.whl")
    t.check(os.path.getsize(wheel) <= 3e6, f"the wheel has {os.path.getsize(wheel)} bytes, at most 3 MB")
    with zipfile.ZipFile(wheel) as file:
        inside = [name.rsplit("/", 1)[-1] for name in file.namelist()]
    t.equal([name for name in (*LICENSES, "README.md", "METADATA") if name not in inside], [], "missing")
    venv = packages.new_venv(t, "/usr/bin/python3", "venv")
    before = packages.files(venv)
    packages.pip(t, venv, "install", "--no-index", wheel)
    shown = set()
    for library in sorted(glob.glob(f"{venv}/libexec/syncline/simulated_gpu/lib/*")):
        shown |= check_library(t, library)
    t.check("cuInit" in shown and "cuptiSubscribe" in shown, f"{len(shown)} functions")
    site = packages.site_packages(os.path.dirname(os.path.dirname(t.venv("torch-cuda"))))[0]
    for library in glob.glob(os.path.join(site, "torch", "lib", "lib*.so")):
        wanted = {name for name in names(library, "--undefined-only") if re.match("(cu[A-Z]|cu(da|blas|pti|dnn|fft|sparse|solver|file)|nccl|nvrtc|nvml)", name)}
        t.equal(sorted(wanted - shown), [], f"what {library} imports")
    packages.pip(t, venv, "uninstall", "-y", "syncline-simulated-gpu")
    t.equal(packages.files(venv) - before, set(), "left behind")
    audit = output(t.venv("packages"), "-m", "auditwheel", "show", wheel)
    t.check('is consistent with the following platform tag: "manylinux_2_17_x86_64"' in " ".join(audit.split()), audit)


def check_library(t, path):
    """What it shows."""
    versions = [(int(a), int(b)) for a, b in re.findall(r"GLIBC_(\d+)\.(\d+)", output("objdump", "-T", path))]
    t.check(all(version <= (2, 17) for version in versions), f"{path}: {sorted(set(versions))}")
    dynamic = output("readelf", "-dW", path)
    t.equal(set(re.findall(r"NEEDED.*\[(.*)\]", dynamic)) - NEEDED, set(), f"{path} needs")
    t.check("PATH" not in dynamic and "RELR" not in dynamic, dynamic)
    t.equal([line for line in output("strings", path).splitlines() if packages.ROOT in line], [], f"paths in {path}")
    shown = names(path, "--defined-only")
    t.equal([name for name in shown if name.startswith("_Z")], [], f"{path} shows")
    return shown
