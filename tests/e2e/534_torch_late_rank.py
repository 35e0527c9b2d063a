# SPDX-License-Identifier: Apache-2.0
"""Four ranks under torchrun, one late: the same line after the run and the same sums with one launcher, with one for each rank, and on
two pretend machines whose clocks are three seconds apart."""

import json
import re
import subprocess

import torchrun

LABELS = ("gpu", "torch")
MODES = ("launcher",)
TIMEOUT = 480
RANKS, STEPS, LATE, LATE_MS, APART_S = 4, 2, 1, 100, 3
LINE = re.compile(r"syncline: rank (\d+) came last to (\d+) of (\d+) collectives?; the others waited ([\d.]+ \w+) for it"
                  r"( \(clocks .*\))?(?:, (?:from|on the way|within) .*?)?; that is worth [\d.]+ \w+ \(\d+(?:\.\d)? %\) if that rank comes when the others do")


def test(t):
    t.need_gpus(4)
    alone = judge(t, outside(t), "one launcher", machines=1)
    judge(t, inside(t), "a launcher for each rank", machines=1)
    t.need("faketime")
    t.need_root()
    judge(t, two_machines(t), "two machines", machines=2)
    t.check(alone["met"] > STEPS, f"{alone}")


def environment(t):
    return t.torch_environment({"SIMGPU_DEVICES": str(RANKS), "SIMGPU_FAULT": f"nccl_late={LATE}:{LATE_MS}", "PYTHONWARNINGS": "ignore"})


def outside(t):
    env = environment(t)
    return torchrun.record(t, "ddp_nccl", RANKS, str(STEPS), env=env), env


def agent(t, port, directory, nodes, node, before=()):
    """torchrun with a launcher in front of each of its ranks."""
    python, *rest = t.torch_program("ddp_nccl")
    here = RANKS // nodes
    rendezvous = [f"--nnodes={nodes}", f"--node-rank={node}", "--master-addr=127.0.0.1", f"--master-port={port}"]
    return [python, "-W", "ignore", "-m", "torch.distributed.run", f"--nproc-per-node={here}", *rendezvous, "--no-python", *before,
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


def judge(t, found, what, machines):
    recording, env = found
    t.equal(recording.ending, "status 0", f"{what}: {recording}")
    t.equal(recording.ranks(), list(range(RANKS)), f"{what}: {recording}")
    lines = [match for match in map(LINE.fullmatch, recording.said) if match]
    t.equal(len(lines), 1, f"{what}: {recording.said}")
    told = t.run([t.syncline, "findings", recording.directory, "--json"])
    t.equal(told.status, 0, f"{what}: {told}")
    merged = json.loads(told.out)
    met = merged["collectives"]
    truth = [row for rank in range(RANKS) for row in map(json.loads, open(t.truth(recording.trace(rank), env)))
             if row["op"] == "collective" and row["ranks"] == RANKS]
    # On a busy machine another rank may truly cost more: the one that starts last keeps all others waiting in the first collective.
    costs = {rank: sum(max(0, row["last_ns"] - row["start_ns"]) for row in truth if row["last_rank"] == rank) for rank in range(RANKS)}
    late = max(costs, key=costs.get)
    true_last, waited = sum(row["last_rank"] == late for row in truth) // RANKS, costs[late]
    facts = met["ranks"][str(late)]
    t.equal(int(lines[0].group(1)), late, f"{what}: {recording.said}, truly {costs}")
    t.equal((int(lines[0].group(2)), int(lines[0].group(3))), (facts["came_last"], facts["met"]), f"{what}: line and sums")
    t.equal(facts["met"], len(truth) // RANKS, f"{what}: collectives")
    t.check(abs(facts["came_last"] - true_last) <= 1, f"{what}: came last to {facts}, truly {true_last}")
    error = len(truth) * (met["clock_error_ns"] + 2000)
    told_ns = sum(rank["waited_for_ns"].get(str(late), 0) for rank in met["ranks"].values())
    t.check(abs(told_ns - waited) <= error, f"{what}: {told_ns} ns told, {waited} true, error {error}")
    if machines == 1:
        t.equal(met["clock_error_ns"], 0, what)
    else:
        apart = met["clock_offset_ns"]
        t.check(abs(apart - APART_S * 10**9) <= met["clock_error_ns"], f"{what}: {apart} ns apart, error {met['clock_error_ns']}")
        t.check("clocks of several machines" in lines[0].group(5), f"{what}: {recording.said}")
    return facts
