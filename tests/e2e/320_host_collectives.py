# SPDX-License-Identifier: Apache-2.0
"""Three ranks of PyTorch that meet by gloo on the CPU: --torch ops tells of each collective its group, bytes, type and number, which rank
came last and how long the others waited, as the ranks themselves saw it, and whose sends were late."""

import json

import torchrun

LABELS = ("gpu", "torch")
MODES = ("launcher",)
TIMEOUT = 240
RANKS, STEPS, LATE_MS = 3, 9, 60


def test(t):
    env = t.torch_environment({"SIMGPU_DEVICES": "1", "OMP_NUM_THREADS": "1"})
    directory = t.new_directory()
    command = torchrun.command(t, "host_collectives", RANKS, str(STEPS))
    recording = t.record_command(t.launch(command, ("--torch", "ops"), directory), directory, env={**env, "PYTHONWARNINGS": "ignore"}, timeout=200)
    t.equal(recording.ranks(), list(range(RANKS)), f"{recording}")
    came = sorted((json.loads(line) for line in recording.out.decode().splitlines() if line.startswith('{"rank"')), key=lambda row: row["rank"])
    traces = [recording.trace(rank) for rank in range(RANKS)]
    check_slices(t, traces, [row["came"] for row in came])
    check_report(t, json.loads(t.run([t.syncline, "report", directory, "--format", "json"]).out))


def check_slices(t, traces, came):
    """What the slices say is what the ranks did."""
    slack_ns = 20_000_000  # between the program's look at the clock and its operator, on a busy machine
    for rank, trace in enumerate(traces):
        sums = [op for op in trace.operators(name="c10d::allreduce_") if op.args["dtype"] == "Float"]
        sums = sorted(sums, key=lambda op: op.begin)[:STEPS]
        numbers = [op.args["collective"] for op in sums]
        t.equal(numbers, [1 + 3 * number for number in range(STEPS)], f"rank {rank}: the group's others are between")
        for number, op in enumerate(sums):
            wanted = {"Collective name": "allreduce", "In msg nelems": 1024, "Out msg nelems": 1024, "Group size": RANKS, "Rank": rank, "Process Group Name": "0"}
            t.equal({key: op.args[key] for key in wanted}, wanted, f"{op}")
            true_ns = max(times[number] for times in came) - came[rank][number]
            t.check(abs(op.args["waited_us"] * 1000 - true_ns) < slack_ns, f"told {op.args['waited_us']} us, truly {true_ns} ns: {op}")
            t.check(number % 3 != 2 or op.args["last_rank"] == 1, f"rank 1 came last: {op}")
        pairs = trace.operators(name="c10d::_allgather_base_")
        t.equal(len(pairs), STEPS if rank < 2 else 0, f"rank {rank}")
        t.equal({(op.args["Group size"], op.args["Process Group Name"], op.args["Out msg nelems"]) for op in pairs}, {(2, "1", 512)} if rank < 2 else set(), f"rank {rank}")
        t.equal({op.args["communicator"] for op in pairs} & {op.args["communicator"] for op in sums}, set(), "groups apart")


def check_report(t, told):
    rows = {(row["operation"], row["type"], row["group"]): row for row in told["collectives"]}
    facts = {key: (row["ranks"], row["count"], row["bytes"], row["met"]) for key, row in rows.items()}
    t.equal(
        facts,
        {
            ("allreduce", "Float", "0"): (RANKS, STEPS + 1, STEPS * 4096 + 400, STEPS + 1),
            ("allreduce", "Double", "0"): (RANKS, STEPS, STEPS * 4096, STEPS),
            ("_allgather_base", "Float", "1"): (2, STEPS, STEPS * 2048, STEPS),
            ("barrier", "", "0"): (RANKS, STEPS + 2, None, STEPS + 2),
        },
        "what the program did",
    )
    late = STEPS // 3
    whole, pair = rows["allreduce", "Float", "0"], rows["_allgather_base", "Float", "1"]
    t.equal((whole["late_rank"], pair["late_rank"]), (1, 0), f"{whole} {pair}")
    t.check(whole["late_times"] >= late and whole["waited_ms"] > 0.9 * 2 * late * LATE_MS, f"{whole}")
    t.check(pair["late_times"] >= late and pair["waited_ms"] > 0.9 * late * LATE_MS, f"{pair}")
    [messages] = [row for row in told["messages"] if row["rank"] == "rank 2"]
    t.equal((messages["other"], messages["waits_with"], messages["of"]), (0, "receive", 3), f"{messages}")
    t.check(0.9 * 3 * LATE_MS < messages["waited_ms"] < 2 * 3 * LATE_MS, f"{messages}")
