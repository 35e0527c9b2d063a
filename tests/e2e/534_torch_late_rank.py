# SPDX-License-Identifier: Apache-2.0
"""Ranks under torchrun, one late: the line after the run and the sums with a launcher for each rank, and on two pretend machines whose clocks
are three seconds apart. With one launcher for all ranks: 530_torch_nccl.py."""

import subprocess

import late_rank
import torchrun

LABELS = ("gpu", "torch")
MODES = ("launcher",)
TIMEOUT = 480
HERE, RANKS, STEPS, LATE, LATE_MS, APART_S = 2, 4, 2, 1, 100, 3  # HERE: of a machine


def test(t):
    t.need_gpus(4)
    late_rank.judge(t, *inside(t), HERE, "a launcher for each rank")
    t.need("faketime")
    t.need_root()
    late_rank.judge(t, *two_machines(t), RANKS, "two machines", apart_s=APART_S)


def environment(t):
    return t.torch_environment({"SIMGPU_DEVICES": str(RANKS), "SIMGPU_FAULT": f"nccl_late={LATE}:{LATE_MS}", "PYTHONWARNINGS": "ignore"})


def agent(t, port, directory, nodes, node, before=()):
    """torchrun with a launcher in front of each of its ranks."""
    python, *rest = t.torch_program("ddp_nccl")
    rendezvous = [f"--nnodes={nodes}", f"--node-rank={node}", "--master-addr=127.0.0.1", f"--master-port={port}"]
    return [python, "-W", "ignore", "-m", "torch.distributed.run", f"--nproc-per-node={HERE}", *rendezvous, "--no-python", *before,
            *t.launch([python, *rest, str(STEPS)], (), directory)]


def inside(t):
    env, directory = environment(t), t.new_directory()
    command = agent(t, torchrun.free_port(), directory, 1, 0)
    return t.past_exit_race(lambda: t.record_command(command, directory, env=env, timeout=200), env), env


def two_machines(t):
    """The second agent's processes see another host name, another boot and another time of day."""
    env, directory, port = environment(t), t.new_directory(), torchrun.free_port()
    boot = t.path("boot_id")
    with open(boot, "w") as file:
        file.write("11111111-2222-3333-4444-555555555555\n")
    far = ["unshare", "-u", "-m", "--propagation", "private", "sh", "-c",
           f"hostname far && mount --bind {boot} /proc/sys/kernel/random/boot_id && exec \"$@\"", "far"]
    later = ["env", "FAKETIME_DONT_FAKE_MONOTONIC=1", t.need("faketime"), "-f", f"+{APART_S}s"]
    other = subprocess.Popen([*far, *agent(t, port, directory, 2, 1, later)], env=t.environment(env), cwd=t.directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    recording = t.record_command(agent(t, port, directory, 2, 0), directory, env=env, timeout=200, complete=False)
    out, err = other.communicate(timeout=200)
    t.equal(other.returncode, 0, f"the far agent: {out} {err}")
    recording.said += [line for line in err.decode().splitlines() if line.startswith("syncline: ")]
    return recording, env
