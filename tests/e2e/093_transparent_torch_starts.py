# SPDX-License-Identifier: Apache-2.0
"""Processes that PyTorch starts (spawn, ranks that torchrun starts anew) and that share a GPU find and say what they would without us."""

import torchrun

LABELS = ("python", "torch", "gpu")
MODES = ("launcher",)
TIMEOUT = 180
FAILS_ONCE = 'test $TORCHELASTIC_RESTART_COUNT != 0 || exit 7; exec "$0" "$1" "rank $RANK"'


def test(t):
    python = t.venv("torch")
    if t.run([python, "-c", "import torch"]).status != 0:
        t.skip("PyTorch is not installed (python3-torch)")
    env = {"OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    t.transparent([python, t.victim("torch_spawn_state.py")], env=env, compare=("out",), complete=False)
    elastic(t, python, env)
    on_one_device(t)


def elastic(t, python, env):
    found = []
    for record in (False, True):
        # Debian's torch 1.13 on Python 3.11 needs --redirects and --tee.
        options = ["--redirects", "1", "--tee", "1", "--nproc_per_node=2", "--max_restarts=1", "--monitor_interval=0.1", f"--master_port={torchrun.free_port()}", "--no_python"]
        command = [python, "-m", "torch.distributed.run", *options, "sh", "-c", FAILS_ONCE, "python3", t.victim("print_state.py")]
        found.append(t.record(command, env=env, complete=False) if record else t.run(command, env=env))
    bare, recording = found
    t.equal(sorted(recording.out.splitlines()), sorted(bare.out.splitlines()), "torchrun")
    t.equal(recording.ending, bare.ending, "torchrun")
    for rank in (b"rank 0", b"rank 1"):
        t.check(rank in bare.out, f"{bare}")


def on_one_device(t):
    script = '"$0" & "$0"; first=$?; wait $! && exit $first'
    t.transparent(["sh", "-c", script, t.cuda_program("vector_add")], env=t.gpu_environment())
