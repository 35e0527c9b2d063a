# SPDX-License-Identifier: Apache-2.0
"""Who waits for whom in a pipeline of ranks, by the truth of the sends and receives, and at which line the late sender was, whether they
are sent one by one or batched."""

import glob
import json
import re

import torchrun
from twins import marked_line

LABELS = ("gpu", "torch")
MODES = ("launcher",)
TIMEOUT = 300
RANKS, ROUNDS, LATE_MS = 3, 10, 20
CLOCKS_MS = 0.02  # of two ranks are not further apart


def truly_waited_ms(paths, rank, other):
    """By the truth files how long the kernels of `rank` waited for those of `other`, but for the first one of the two."""
    rows = [json.loads(line) for path in paths for line in open(path)]
    mine = [row for row in rows if row["op"] == "collective" and "SendRecv" in row["name"] and row["rank"] == rank]
    mine.sort(key=lambda row: row["start_ns"])
    return [max(0, row["last_ns"] - row["start_ns"]) / 1e6 for row in mine[1:] if row["last_rank"] == other]


def test(t):
    t.simulated_only("the truth files tell who came last")
    _, line = marked_line("tests/torch_programs/pipeline_ranks.py", "late", "sends")
    for number, way in enumerate(([], ["--batched"])):
        truth = t.path(f"{number}.%p.truth")
        env = t.torch_environment({"SIMGPU_DEVICES": str(RANKS), "SIMGPU_DURATIONS": "*nccl*=100us,*=30us", "SIMGPU_TRUTH": truth})
        recording = torchrun.record(t, "pipeline_ranks", RANKS, str(ROUNDS), *way, env=env)
        told = json.loads(t.run([t.syncline, "report", "--no-files", recording.directory, "--all", "--format", "json"]).out)
        rows = {(row["rank"], row["other"], row["waits_with"]): row for row in told["messages"]}
        got = rows["rank 2", 1, "receive"]
        true = truly_waited_ms(glob.glob(truth.replace("%p", "*")), 2, 1)
        print(f"rank 2 waited {got['waited_ms']:.3f} ms for rank 1's sends, truly {sum(true):.3f} ms")
        t.equal((got["of"], got["waited"], len(true)), (ROUNDS - 1, ROUNDS - 1, ROUNDS - 1), "each round but the first")
        t.check(abs(got["waited_ms"] - sum(true)) <= CLOCKS_MS * ROUNDS, f"{got}, truly {true}")
        t.equal(got["ranges"], "round # > get", "where it asked for the message")
        t.check(("rank 1", 0, "receive") not in rows or rows["rank 1", 0, "receive"]["waited_ms"] < got["waited_ms"] / 2, f"{rows}")
        late = [finding for finding in told["findings"] if finding["kind"] == "late_sender"]
        t.equal([finding["rank"] for finding in late], ["rank 1"], f"{told['findings']}")
        t.check(late[0]["problem"].startswith("rank 2 waited") and late[0]["problem"].endswith("for rank 1's sends"), f"{late}")
        t.check(re.search(rf"pipeline_ranks\.py:{line}[, ].*main\(\)", late[0]["where"]), f"{late}")
        t.check(late[0]["gain_ms"] > 0.9 * ROUNDS * LATE_MS, f"nothing else holds the ranks up: {late[0]}")
        t.check(late[0]["gain_ms"] < 1.25 * sum(truly_waited_ms(glob.glob(truth.replace("%p", "*")), 2, 1)), f"{late[0]}")
        t.check(not any(finding["kind"] == "slow_rank" for finding in told["findings"]), "one cause is told once")
        bubbles = {rank["rank"]: rank["bubble_ms"] for rank in told["ranks"]}
        t.check(abs(bubbles[2] - got["waited_ms"]) < 1 and bubbles[1] < bubbles[2] / 4, f"{bubbles}")
