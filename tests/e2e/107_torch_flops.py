# SPDX-License-Identifier: Apache-2.0
"""FLOPs of each operator, as the report and the trace have them, are those that torch.utils.flop_counter counts in a run of its own, forward
and backward; an operator within another one counts once."""

import collections
import json

LABELS = ("torch", "gpu")
MODES = ("launcher",)
TIMEOUT = 200


def test(t):
    t.simulated_only()
    for device in ("cpu", "cuda"):
        compare(t, device)


def compare(t, device):
    env, counts, program = t.torch_environment(), t.path(f"{device}.json"), [*t.torch_program("computing"), device]
    done = t.past_exit_race(lambda: t.run([*program, counts], env), env)
    t.equal(done.ending, "status 0", f"flop_counter: {done}")
    with open(counts) as file:
        wanted = json.load(file)
    recording = t.past_exit_race(lambda: t.record(program, ["--torch", "shapes"], env), env)
    rows = json.loads(t.run([t.syncline, "report", "--no-files", "--format", "json", recording.directory]).out)["operators"]
    by_name = {row["name"]: row["flops"] for row in rows}
    t.equal({name: by_name.get(name) for name in wanted}, wanted, f"{device}: FLOPs by operator")
    t.equal(sum(row["own_flops"] or 0 for row in rows), sum(wanted.values()), f"{device}: each once")
    told = collections.Counter()
    for operator in recording.trace().operators():
        told[operator.name] += operator.event["args"].get("flops", 0)
    t.equal({name: told[name] for name in wanted}, wanted, f"{device}: in the trace")
    print(f"{device}: {len(wanted)} operators, {sum(wanted.values())} FLOP")
