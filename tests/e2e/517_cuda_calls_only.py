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
# What only CUPTI sees is the driver's calls under the runtime's, and the call that the driver is initialised in: no first call is hidden
# where a call that is not recorded comes before it; of several threads that begin with one, as many as are in it at once.
PROGRAMS = {"streams": (1,), "copies": (1,), "graphs": (1,), "training_step": (0,), "many_threads": range(1, 9), "per_thread": (1, 2)}
UNDER_RUNTIME = {"cuLibraryLoadData": 1}


def calls(recording):
    names = [e["name"] for e in recording.trace().events if e.get("cat") in ("cuda_runtime", "cuda_driver")]
    return collections.Counter(names)


def threads(recording):
    """The names of each thread's calls of the runtime, in their order."""
    found = collections.defaultdict(list)
    for call in recording.trace().calls():
        if call.name not in UNDER_RUNTIME:
            found[call.pid, call.tid].append(call.name)
    return [tuple(names) for names in found.values()]


def without_first(t, whole, found):
    """How many threads of `found` lack their first call; all else is the same."""
    rest = collections.Counter(whole) - collections.Counter(found)
    lacking = collections.Counter(found) - collections.Counter(whole)
    t.equal(collections.Counter(names[1:] for names in rest.elements()), lacking, "what lacks more than a thread's first call")
    return rest.total()


def modes(recording):
    return [p["recorded"] for process in recording.manifest()["processes"] for p in process["gpu"]]


def test(t):
    t.simulated_only("a real GPU has no faults on demand")
    gpu = t.gpu_environment()
    refused = {**gpu, "SIMGPU_FAULT": "other_subscriber=nsys"}
    for name, hidden in PROGRAMS.items():
        program = [t.cuda_program(name)]
        seen = t.record(program, env=gpu)
        recording = t.transparent(program, env=refused)
        t.said(recording, "gpu work will not be recorded", '"nsys" has it', "; calls are recorded")
        t.equal(modes(recording), ["calls only"], name)
        whole, found = calls(seen), calls(recording)
        t.equal({call: whole[call] - found[call] for call in UNDER_RUNTIME}, UNDER_RUNTIME, f"{name}: under the runtime")
        t.check(without_first(t, threads(seen), threads(recording)) in hidden, f"{name}: {whole - found} is missing")
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
