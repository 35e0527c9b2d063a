# SPDX-License-Identifier: Apache-2.0
"""2 ranks of real PyTorch with gloo under torchrun, syncline outside of it and inside: one trace
per rank."""

import socket

LABELS = ("python", "torch")
TIMEOUT = 240


def free_port():
    """Several torchruns of this suite may run at once: the default port is only one."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def test(t):
    python = t.venv("torch")
    if t.run([python, "-c", "import torch"]).status != 0:
        t.skip("PyTorch is not installed (python3-torch)")
    # Debian's torch 1.13 on Python 3.11 needs --redirects and --tee.
    torchrun = [
        python,
        "-m",
        "torch.distributed.run",
        "--redirects",
        "1",
        "--tee",
        "1",
        "--nproc_per_node",
        "2",
    ]
    for order in ("outside", "inside"):
        torchrun[-2:] = ["--nproc_per_node=2", f"--master_port={free_port()}"]
        directory = t.new_directory()
        script = t.victim("torch_gloo.py")
        command = (
            t.launch([*torchrun, script], (), directory)
            if order == "outside"
            else [*torchrun, "--no_python", *t.launch([python, script], (), directory)]
        )
        recording = t.record_command(command, directory, {"OMP_NUM_THREADS": "1"}, timeout=110)
        t.equal(recording.ending, "status 0", f"{recording}")
        t.check(b"rank 1 of 2 local 1 sum 1.0" in recording.out, f"{recording}")
        t.equal(recording.ranks(), [0, 1], f"{order}: traces")
        for rank in range(2):
            trace = recording.trace(rank)
            t.equal(
                (
                    trace.document["distributedInfo"]["rank"],
                    trace.document["distributedInfo"]["world_size"],
                ),
                (rank, 2),
            )
            t.counted(
                trace.names(),
                {"forward": 3, "backward": 3, f"all_reduce of rank {rank}": 3, "ProfilerStep#2": 1},
            )
            t.counted(
                trace.paths(), {"ProfilerStep#2 > forward": 1, "ProfilerStep#2 > backward": 1}
            )
            t.equal({r.args["domain"] for r in trace.ranges(name="forward")}, {"train"})
