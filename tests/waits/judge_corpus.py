#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the corpus on the simulated GPUs and judges the waits that the analysis finds in it; prints precision and recall.

judge_corpus.py BUILD_DIR

Every difference is printed. On a quiet machine none, or one wait in a hundred of a situation, differs; on a busy one more may: a thread that lost its processor between submitting and waiting
found everything done, which nobody outside can see, and of two threads whose calls overlap, the one that began later may submit first.
"""

import os
import re
import subprocess
import sys
import tempfile

ENOUGH = 0.9
# Not peer_copies and graph_memory: CUPTI's records do not tell the last release of a primary context (E8) from one that leaves it,
# and have nothing of a graph launch without operations.
PROGRAMS = ("allocations", "copies", "default_stream", "driver_api", "event_timing", "graphs", "launch_rate 5", "multi_device",
            "per_thread", "query_spin", "streams", "training_step 3", "vector_add", "versioned_forms", "virtual_memory")
# Kernels that outlast the host's own microseconds, a queue that fills, launches that block, a CUPTI without overhead records.
SITUATIONS = (
    {"SIMGPU_DURATIONS": "*=200us"},
    {"SIMGPU_DURATIONS": "*=20us", "SIMGPU_QUEUE": "8"},
    {"SIMGPU_DURATIONS": "*=200us", "CUDA_LAUNCH_BLOCKING": "1"},
    {"SIMGPU_DURATIONS": "*=200us", "SIMGPU_CUPTI_VERSION": "12.0"},
    {},
)
FIGURES = re.compile(r"right (\d+) wrong (\d+) missed (\d+) invented (\d+) marginal (\d+)")


def judge(build, program, situation, folder):
    """Figures and what the judge said."""
    truth, records = os.path.join(folder, "truth"), os.path.join(folder, "records")
    environment = {
        **os.environ,
        **situation,
        "LD_LIBRARY_PATH": os.path.join(build, "simulated_gpu/lib"),
        "CUDA_INJECTION64_PATH": os.path.join(build, "tests/libsimgpu_cupti_injection_client.so"),
        "CUPTI_CLIENT_OUT": records,
        "SIMGPU_TRUTH": truth,
    }
    name, *arguments = program.split()
    subprocess.run([os.path.join(build, "simulated_gpu/programs", name), *arguments], env=environment, check=True, timeout=60,
                   stdout=subprocess.DEVNULL)
    done = subprocess.run([os.path.join(build, "tests/wait_judge"), records, truth], env={**os.environ, **situation},
                          capture_output=True, text=True, timeout=60, check=False)
    return [int(figure) for figure in FIGURES.search(done.stdout).groups()], done.stdout


def quality(figures):
    right, wrong, missed, invented, marginal = figures
    precision, recall = right / max(1, right + wrong + invented), right / max(1, right + wrong + missed)
    print(f"  {right} waits right, {wrong} wrong, {missed} missed, {invented} invented, {marginal} too close to call: "
          f"precision {precision:.4f}, recall {recall:.4f}")
    return min(precision, recall)


def main():
    build, worst = sys.argv[1], 1
    for situation in SITUATIONS:
        print(*(f"{name}={value}" for name, value in situation.items()), "the corpus:")
        total = [0] * 5
        for program in PROGRAMS:
            with tempfile.TemporaryDirectory() as folder:
                figures, said = judge(build, program, situation, folder)
            total = [a + b for a, b in zip(total, figures)]
            if any(figures[1:4]):
                print(f"{program}:\n{said}", end="")
        worst = min(worst, quality(total))
    return 0 if worst >= ENOUGH else 1


if __name__ == "__main__":
    sys.exit(main())
