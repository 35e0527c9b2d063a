# SPDX-License-Identifier: Apache-2.0
"""Both published versions of HTA pass every analysis that GPU rows feed, and agree with the truth file; Perfetto and
Catapult show every slice, flow and counter."""

import json
import os

HARNESS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "harness")
LABELS = ("readers", "gpu")
TIMEOUT = 400
MODES = ("launcher",)
PROGRAMS = ("streams", "graphs", "multi_device", "allocations", "query_spin", "per_thread")
RANGES = ("load", "ranks_found", "validate_minimal", "validate_standard", "validate_complete", "call_stack",
          "cpu_user_annotation_breakdown")
ROUNDING = {"HTA_DISABLE_NS_ROUNDING": "1"}
SUMS = """
import sys
from hta.trace_analysis import TraceAnalysis
frame = TraceAnalysis(trace_dir=sys.argv[1]).get_gpu_kernel_breakdown(visualize=False, include_memory_kernels=True)[1]
frame = frame[frame["name"] != "Stream Wait Event"]  # HTA 0.5 takes it for a kernel
print(frame["sum (us)"].sum())
"""


def check(t, directories, *names, interpreters=("hta", "hta-old")):
    for name in interpreters:
        checker = os.path.join(HARNESS, "check_hta.py")
        result = t.run([t.venv(name), checker, *directories, *names], ROUNDING, timeout=200)
        t.equal(result.status, 0, f"{name}: {result}")


def view(t, paths):
    shot = os.path.join(HARNESS, "shot_perfetto.py")
    result = t.run([t.venv("viewers"), shot, *paths, "--check"], {"HOME": t.directory}, timeout=200)
    t.equal(result.status, 0, f"{result}")


def test(t):
    for name in ("hta", "hta-old", "viewers"):
        t.venv(name)
    gpu = t.gpu_environment()
    truth = t.path("%p.truth")
    durations = {"SIMGPU_DURATIONS": "*gemm*=300us,*=40us", "SIMGPU_TRUTH": truth}
    directory = t.new_directory()
    command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", t.cuda_program("training_step"), "5"]
    t.need("mpirun")
    recording = t.record_command(t.launch(command, directory=directory), directory, env={**gpu, **durations})
    t.equal(recording.ranks(), [0, 1], "ranks")
    check(t, [recording.directory], "gpu", *RANGES)
    if not t.on_real_gpu():
        sums(t, recording.directory)
    paths, recordings = [recording.trace(rank).path for rank in (0, 1)], []
    for program in PROGRAMS:
        recordings.append(t.record([t.cuda_program(program)], env=gpu))
    check(t, [recording.directory for recording in recordings], *RANGES[:6], interpreters=("hta",))
    view(t, paths + [recording.trace().path for recording in recordings])


def sums(t, directory):
    """HTA's sum over all ranks is that of the truth files, but for a ns of each operation."""
    total, operations = 0, 0
    for name in os.listdir(t.directory):
        if not name.endswith(".truth"):
            continue
        for line in open(t.path(name)):
            row = json.loads(line)
            if row["op"] in ("kernel", "memcpy", "memset"):
                total += row["end_ns"] - row["start_ns"]
                operations += 1
    for interpreter in ("hta", "hta-old"):
        result = t.run([t.venv(interpreter), "-c", SUMS, directory], ROUNDING, timeout=100)
        found = float(result.out.split()[-1]) * 1000
        t.check(operations > 100 and abs(found - total) <= 2 * operations, f"{interpreter}: {found} ns, not {total}")
