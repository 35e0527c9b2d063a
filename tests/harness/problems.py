# SPDX-License-Identifier: Apache-2.0
"""Programs each with one known problem, and some with none: what a report should say of them.

`record(t, problem)` for each of PROBLEMS."""

from collections import namedtuple

import torchrun
from twins import CUDA, HOST_WORK, PROGRAMS, TORCH, marked_line

# `program`: "cuda NAME", "torch NAME" (of tests/torch_programs) or "victim NAME", and arguments. `problem`: what is wrong, None: nothing.
# `wait_class`: of the host's waits that it causes (docs/waits.md), None: no wait, or no special one. `range`: the stage to name.
# `rank`: the one that has the problem, where it is one of several. `kinds`: of the report's first finding (docs/report.md); several
# where several ways lead out of it.
Problem = namedtuple("Problem", "name program problem kinds wait_class range rank ranks durations", defaults=(None, 1, CUDA))

RANKS = 3
SLOW_GEMM = "*gemm*=1ms,*=30us"

PROBLEMS = (
    Problem("wait_in_a_loop", "cuda twins stream_sync", "a wait in each step", "stream_wait", "stream", "step"),
    Problem("loss_read_back", "torch twins item", "a result read back in each step", "read_back", "legacy_stream", "step", durations=TORCH),
    Problem("pageable_batches", "torch twins pageable_batch", "copies from pageable memory", "pageable_copy", "pageable_copy", "step", durations=TORCH),
    Problem("allocation_in_a_loop", "cuda twins allocation", "memory taken and freed in each step", "allocation", "allocation", "step"),
    Problem("spin_on_an_event", "cuda twins query_spin", "a spin of queries", "query_spin", "query_spin", "step"),
    Problem("legacy_stream_serialises", "cuda twins legacy_stream", "streams serialised by the legacy stream", "default_stream", None, "step"),
    Problem("tiny_kernels", "torch twins launch_bound", "kernels shorter than their launches", "launch_bound", None, "infer", durations="*=1us"),
    Problem("late_data", "cuda twins late_loading", "data loaded before each submission", "data_work stream_wait", None, "load"),
    Problem("slow_rank", "torch ranks slow_rank", "a rank whose host is late", "late_rank", None, "load", 2, RANKS, SLOW_GEMM),
    Problem("late_in_graph", "torch ranks late_in_graph", "a rank that comes late to the collectives in a graph", "late_rank", None, "load", 2, RANKS,
            SLOW_GEMM),
    Problem("unbalanced_ranks", "torch ranks unbalanced_ranks", "a rank with more work", "imbalance", None, "autograd.backward", 1, RANKS, SLOW_GEMM),
    Problem("device_wide_wait", "cuda twins device_sync", "a wait for streams that are not needed", "device_wait", "device", "step"),
    Problem("copy_blocks_compute", "cuda twins upload_blocks", "a copy in the stream that computes", "copy_blocks", None, "upload"),
    Problem("training_overlapped", "torch steady", None, "", None, None, durations=SLOW_GEMM),
    Problem("inference_double_buffered", "cuda steady", None, "", None, None, durations="*=1ms"),
    Problem("host_only", "victim host_only", None, "", None, None),
)


def line_of(problem):
    """The file and the number of the line with the problem."""
    kind, name, case = problem.program.split()
    if name == "ranks":
        return marked_line("tests/torch_programs/ranks.py", "problem", case)
    return marked_line(PROGRAMS[kind], "twin", case)


def command(t, problem):
    kind, name, *arguments = problem.program.split()
    if kind == "torch":
        return [*t.torch_program(name), *arguments]
    return [t.cuda_program(name) if kind == "cuda" else t.victim(name), *arguments]


def record(t, problem, env=None):
    """The recording of the program; `env`: more than its devices and durations."""
    env = {**t.gpu_environment(), "SIMGPU_DURATIONS": problem.durations, "OMP_NUM_THREADS": "1", **(env or {})}
    if problem.ranks > 1:
        env["SIMGPU_DEVICES"] = str(problem.ranks)
        _, name, *arguments = problem.program.split()
        recording = torchrun.record(t, name, problem.ranks, *arguments, env=env)
    else:
        recording = t.past_exit_race(lambda: t.record(command(t, problem), env=env), env)
    t.equal(recording.ending, "status 0", f"{problem.name}: {recording}")
    return recording
