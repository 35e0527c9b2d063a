# SPDX-License-Identifier: Apache-2.0
"""Programs whose costliest line is known, and what a report says first of each of them.

`told(t, program)` records one; `faults(program, findings)` says what is wrong about its findings. A place names a line where it is that
line, or a few with it, of which the host may have been at any."""

import json
import os
import re
from collections import namedtuple

import twins
from syncline_test import ROOT

# `mark`: the kind of comment at the line. `kind`: of the first finding, of a program that has no one line. Neither: nothing is to be found.
Program = namedtuple("Program", "name command durations mark kind file", defaults=(None, None, None))
FIRST, MOST_LINES = 3, 4
ANSWERS, IDLE, CUDA_IDLE = "tests/torch_programs/answers.py", "tests/torch_programs/idle.py", "tests/simulated_gpu/programs/idle.cu"
KERNELS = "*gemm*=200us,*=10us"
CLEAN = ("ahead", "prefetched")
OF_RANKS, NATIVE = "tests/torch_programs/answers_ranks.py", "tests/native_programs"
SLOW_KERNELS = "*gemm*=1ms,*nccl*=50us,*=10us"


def cases_of(path):
    """The names of the cases of a program of tests/torch_programs."""
    with open(os.path.join(ROOT, path)) as file:
        return list(dict.fromkeys(re.findall(r"(?:#|//|!) (?:answer|idle): (\w+)$", file.read(), re.MULTILINE)))


def programs(t):
    """Those that are recorded for their lines: of one GPU, in Python and in C++."""
    found = [Program(f"answers {case}", [*t.torch_program("answers"), case], KERNELS, "answer", None, ANSWERS) for case in cases_of(ANSWERS)]
    found += [Program(f"answers {case}", [*t.torch_program("answers"), case], KERNELS) for case in CLEAN]
    found += [Program(f"idle {case}", [*t.torch_program("idle"), case], "*=200us", "idle", None, IDLE) for case in cases_of(IDLE)]
    found += [Program(f"idle.cu {case}", [t.cuda_program("idle"), case], "*=200us", "idle", None, CUDA_IDLE) for case in cases_of(CUDA_IDLE)]
    return found


def twin_programs(t):
    """Those that exist twice, with one line that costs time (twins.py)."""
    return [Program(f"{twin.language} {twin.name}", twins.command(t, twin), twin.durations, "twin", None, twins.PROGRAMS[twin.language])
            for twin in twins.TWINS if twin.removed in ("line", "class") and twin.name not in ("busy_anyway", "host_bound")]


def programs_without_a_line(t):
    """What costs them most is a habit or an order of the device's work; the last three are as good as they can be."""
    habits = "*Long*=1ms,*Next*=200us,*gemm*=600us,*=200us"
    found = [Program(f"habits {case}", [t.cuda_program("habits"), case], habits, kind=kind)
             for case, kind in (("checks", "device_wait"), ("wrapper", "read_back"), ("two_gpus", "other_device"))]
    for case, kind in (("legacy_stream", "default_stream"), ("upload_blocks", "copy_blocks"), ("launch_bound", "launch_bound")):
        twin = twins.find(case)
        found.append(Program(f"{twin.language} {case}", twins.command(t, twin), twin.durations, kind=kind))
    found.append(Program("torch steady", t.torch_program("steady"), "*gemm*=1ms,*=30us"))
    found.append(Program("cuda steady", [t.cuda_program("steady")], "*=1ms"))
    return [*found, Program("host_only", [t.victim("host_only")], "*=1ms")]


def programs_of_ranks(t):
    """Trainings of two ranks with NCCL, one of them as good as it can be."""
    [python, *_, script] = t.torch_program("answers_ranks")
    torchrun = [python, "-W", "ignore", "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", script]
    found = [Program(f"ranks {case}", [*torchrun, case], SLOW_KERNELS, "answer", None, OF_RANKS) for case in cases_of(OF_RANKS)]
    return [*found, Program("ranks alike", [*torchrun, "alike"], SLOW_KERNELS)]


def native_programs(t):
    """Of Fortran, and of C++ with MPI; they are compiled here."""
    found = []
    for compiler, source, start in (("gfortran", "stencil.f90", []), ("mpicxx.openmpi", "exchange.cc", ["mpirun.openmpi", "--oversubscribe", "-n", "2"])):
        program, path = t.path(source.partition(".")[0]), f"{NATIVE}/{source}"
        compile_native(t, compiler, path, program)
        found += [Program(f"{source} {case}", [*start, program, case], KERNELS, "answer", None, path) for case in cases_of(path)]
    return found


def compile_native(t, compiler, path, program):
    t.need(compiler)
    libraries = t.gpu_environment()["LD_LIBRARY_PATH"].split(":")[0]
    done = t.run([compiler, "-J" if compiler == "gfortran" else "-I", t.path("."), "-O1", "-g", os.path.join(ROOT, path), "-o", program, *cuda_headers(), "-L" + libraries, "-l:libcudart.so.13", "-l:libcublas.so.13"])
    t.equal(done.ending, "status 0", str(done.err))


def cuda_headers():
    """Where this build found them."""
    for place in (os.environ.get("CUDA_HOME", ""), "/usr/local/cuda", os.path.join(ROOT, "build/deps/cuda")):
        if os.path.exists(os.path.join(place, "include/cuda_runtime_api.h")):
            return ["-I" + os.path.join(place, "include")]
    return []


def told(t, program):
    env = {**t.torch_environment(), "SIMGPU_DURATIONS": program.durations, "SIMGPU_DEVICES": "2", "OMPI_ALLOW_RUN_AS_ROOT": "1",
           "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    recording = t.past_exit_race(lambda: t.record(program.command, env=env), env)
    t.equal(recording.status, 0, str(recording))
    findings = json.loads(t.run([t.syncline, "report", recording.directory, "--format", "json"]).out)["findings"]
    return [finding for finding in findings if finding["worth"]]


def lines_in(finding):
    """The lines of each place that a finding names, with the file: "a.py:3 f()", "a.py:3-5 f()", "a.py:3,9 f()"."""
    found = []
    for text in (finding["where"], finding["below"]):
        for path, lines in re.findall(r"([^\s,]+?):(\d+(?:[-,]\d+)*)(?= )", text):
            ranges = [[int(number) for number in part.split("-")] for part in lines.split(",")]
            found.append((path, [number for each in ranges for number in range(each[0], each[-1] + 1)]))
    return found


def names(finding, path, numbers):
    return any(path.endswith(os.path.basename(place)) and len(lines) <= MOST_LINES and any(number in lines for number in numbers)
               for place, lines in lines_in(finding))


def marked(program, mark):
    case = program.name.split()[1]
    path = os.path.join(ROOT, program.file)
    with open(path) as file:
        return path, [number for number, line in enumerate(file, 1) if re.search(rf"(#|//|!) {mark}: {case}$", line)]


def faults(program, findings):
    """What is wrong: the first finding is not at the line; one of the first three is at a line that has no part in it."""
    # A machine with other work is slow on the way to the next launch, wherever that is.
    findings = [finding for finding in findings if finding["kind"] != "slow_launch"] or findings
    if program.kind is not None:
        return [] if findings and findings[0]["kind"] == program.kind else [f"first: {[(found['kind'], found['where']) for found in findings[:1]]}"]
    if program.mark is None:
        return [f"invented: {finding['problem']}: {finding['where']}" for finding in findings[:1]]
    path, right = marked(program, program.mark)
    _, below = marked(program, "below")
    _, also = marked(program, "also")
    if program.mark == "twin":  # the host's own work, which each of them has
        with open(path) as file:
            also = [number for number, line in enumerate(file, 1) if re.search(r"compute\(|Compute\(|Prepare|AddCallback|sleep_for|step\(number\)|optimizer\.step", line)]
    if not findings:
        return ["nothing found"]
    found = [] if names(findings[0], path, right + below) else [f"first: {findings[0]['kind']} {findings[0]['where']}"]
    for finding in findings[1:FIRST]:
        at_lines = lines_in(finding) and (finding["gain_percent"] or 0) >= 5
        if at_lines and not names(finding, path, right + below + also):
            found.append(f"wrong: {finding['kind']} {finding['where']} {finding['gain_percent']:.0f} %")
    return found
