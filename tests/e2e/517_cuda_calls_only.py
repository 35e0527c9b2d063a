# SPDX-License-Identifier: Apache-2.0
"""Where CUPTI is refused or missing, the calls of a program with the shared runtime are recorded all the same, and what is missing
is said; of a program with the static runtime nothing can be seen, and that is said."""

import collections
import os
import re
import shutil
import subprocess

LABELS = ("gpu",)
TIMEOUT = 120
PROGRAMS = ("streams", "copies", "graphs", "training_step", "many_threads", "per_thread")
# What only CUPTI sees: the call that the driver is initialised in, and the driver's calls under the runtime's.
HIDDEN = ("cudaMalloc", "cudaStreamCreateWithFlags", "cuLibraryLoadData")


def calls(recording):
    names = [e["name"] for e in recording.trace().events if e.get("cat") in ("cuda_runtime", "cuda_driver")]
    return collections.Counter(names)


def modes(recording):
    return [p["recorded"] for process in recording.manifest()["processes"] for p in process["gpu"]]


def test(t):
    if os.environ.get("E2E_GPU"):
        t.skip("a real GPU has no faults on demand")
    gpu = t.gpu_environment()
    refused = {**gpu, "SIMGPU_FAULT": "other_subscriber=nsys"}
    for name in PROGRAMS:
        program = [t.cuda_program(name)]
        whole = calls(t.record(program, env=gpu))
        recording = t.transparent(program, env=refused)
        t.said(recording, "gpu work will not be recorded", '"nsys" has it', "; calls are recorded")
        t.equal(modes(recording), ["calls only"], name)
        found = calls(recording)
        missing = {call: count for call, count in (whole - found).items() if call not in HIDDEN}
        t.equal((missing, found - whole), ({}, collections.Counter()), name)
        t.check(sum(found.values()) > 10, f"{found}")
        claims = [e["name"] for e in recording.trace().events if "already_done" in e.get("args", {})]
        t.equal(claims, [], "waits without GPU work to judge them by")
    recording = t.transparent([t.cuda_program("streams", "static")], env=refused)
    t.said(recording, "gpu work will not be recorded", "nor are calls", "static")
    t.equal((modes(recording), calls(recording)), (["nothing"], collections.Counter()), "static")
    recording = t.record([t.cuda_program("streams")], options=["--cuda-api", "none"], env=refused)
    t.equal((modes(recording), calls(recording)), (["nothing"], collections.Counter()), "none")
    without_cupti(t, gpu)


def hide_installed():
    """The CUPTI that the loader knows on this machine, for this test alone. False: it cannot be hidden."""
    cache = subprocess.run(["/sbin/ldconfig", "-p"], stdout=subprocess.PIPE, text=True, check=True).stdout
    for path in re.findall(r"libcupti\.so\.1[23] .*=> (.*)", cache):
        if not os.environ.get("E2E_ISOLATED"):
            return False
        subprocess.run(["mount", "--bind", "/dev/null", path], check=True)
    return True


def without_cupti(t, gpu):
    folder = t.path("no-cupti")
    shutil.copytree(gpu["LD_LIBRARY_PATH"], folder, ignore=shutil.ignore_patterns("libcupti*"), symlinks=True)
    env = {"LD_LIBRARY_PATH": folder, "CUDA_HOME": "/nowhere", "CUDA_PATH": "/nowhere"}
    hidden = hide_installed()
    recording = t.record([t.cuda_program("vector_add")], env=env)
    t.equal((modes(recording), calls(recording)["cudaLaunchKernel"]), (["calls only"], 1), "without libcupti")
    if not hidden:
        return
    t.said(recording, "libcupti.so.13 or .12 was not found")
    # NVIDIA's wheels put it where no loader looks: the launcher does, in the job's Python environment.
    wheel = t.path("env/lib/python3.12/site-packages/nvidia/cu13/lib")
    os.makedirs(wheel)
    shutil.copy(os.path.join(gpu["LD_LIBRARY_PATH"], "libcupti.so.13"), wheel)
    recording = t.record([t.cuda_program("vector_add")], env={**env, "VIRTUAL_ENV": t.path("env")})
    t.equal(modes(recording), ["cupti"], f"libcupti of a wheel: {recording}")
