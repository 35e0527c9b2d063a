# SPDX-License-Identifier: Apache-2.0
"""Programs of tests/torch_programs as ranks of torchrun, and what their NCCL kernels say of each other."""

import socket
from collections import namedtuple

from gpu_truth import FIRST_CORRELATION
from syncline_test import EXIT_RACE

# One kernel in all ranks: its slices in the traces, and the lines of the truth files, by rank.
Meeting = namedtuple("Meeting", "slices truth")


def free_port():
    """Several torchruns of this suite may run at once: the default port is only one."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def record(t, program, ranks, *arguments, env):
    return t.past_exit_race(lambda: record_once(t, program, ranks, *arguments, env=env), env)


def command(t, program, ranks, *arguments):
    python, *rest = t.torch_program(program)
    torchrun = [python, "-W", "ignore", "-m", "torch.distributed.run", f"--nproc-per-node={ranks}", f"--master-port={free_port()}"]
    return [*torchrun, rest[-1], *arguments]


def record_once(t, program, ranks, *arguments, env):
    directory = t.new_directory()
    launched = t.launch(command(t, program, ranks, *arguments), directory=directory)
    return t.record_command(launched, directory, env={**env, "PYTHONWARNINGS": "ignore"}, timeout=200)


def run_ranks(t, program, ranks, *arguments, env):
    """The ranks without Syncline and without torchrun, which would take as long as one of them: how the first one ended."""
    job = {**env, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": free_port(), "WORLD_SIZE": str(ranks)}
    command = [*t.torch_program(program), *arguments]
    started = [t.start(command, {**job, "RANK": str(rank), "LOCAL_RANK": str(rank)}) for rank in range(ranks)]
    ended = [one.wait(200) for one in started]
    for done in ended:
        t.check(done.ending == "status 0" or EXIT_RACE in done.err, str(done))
    return next((done for done in ended if EXIT_RACE in done.err), ended[0])


def meetings(judged):
    """Those of the communicator of all ranks, in their order. Which slice is which is known by stream and correlation."""
    slices = [{(op.args["stream"], op.args["correlation"] - FIRST_CORRELATION): op for op in found.trace.device_ops(cat="kernel")}
              for found in judged]
    rows = {}
    for rank, found in enumerate(judged):
        for row in found.truth:
            if row["op"] == "collective" and row["ranks"] == len(judged):
                rows.setdefault((row["communicator"], row["sequence"]), [None] * len(judged))[rank] = row
    return [Meeting([slices[rank][row["stream"], row["correlation"]] for rank, row in enumerate(of_kernel)], of_kernel)
            for _, of_kernel in sorted(rows.items())]


def check_meeting(t, meeting, judged):
    """The slices say who came last and how long each rank waited for it, by their times and by their arguments, as the truth does;
    none is over before that one has begun. Of sends and receives only those who have to do with each other wait."""
    if "SendRecv" in meeting.slices[0].name:
        return
    last = meeting.truth[0]["last_rank"]
    begin, error = meeting.slices[last].begin, clock_error(judged)
    for slice_, row in zip(meeting.slices, meeting.truth):
        t.equal(row["last_rank"], last, f"who came last, by the truth of each rank: {meeting}")
        t.check(slice_.begin - error <= begin < slice_.end + error, f"rank {last} was not the last: {meeting}")
        waited, true = begin - slice_.begin, row["last_ns"] - row["start_ns"]
        t.check(abs(waited - true) <= error, f"waited {waited} ns, truly {true}: {meeting}")
        told, known = slice_.args, true > error or waited > error
        t.check(not known or told["last_rank"] == last, f"rank {last} was the last: {slice_}")
        t.check(abs(told["waited_us"] * 1000 - true) <= error, f"told {told['waited_us']} us, truly {true} ns: {meeting}")


def clock_error(judged):
    """How far times of two ranks may be off each other, as their traces say, and what rounding adds."""
    errors = [p["device_clock"]["error_ns"] for found in judged for p in found.trace.document["metadata"]["processes"]
              if "device_clock" in p]
    return sum(errors) + 2
