# SPDX-License-Identifier: Apache-2.0
"""The first ten lines of a report name the problem of a program that has one, with its line or stage and its rank; of a program without
a problem nothing is invented."""

import json
from collections import Counter

import problems

LABELS = ("gpu", "torch")
MODES = ("launcher",)
TIMEOUT = 300
LEAST = 5  # percent, which each of the problems costs


def test(t):
    t.simulated_only("kernels take what the table says, and the truth file tells of ranks")
    for problem in problems.PROBLEMS:
        env = {"SIMGPU_TRUTH": t.path(f"{problem.name}.%p.truth")}
        recording = problems.record(t, problem, env)
        if problem.rank is not None:
            check_rank(t, problem, recording, env)
        told = json.loads(t.run([t.syncline, "report", recording.directory, "--format", "json"]).out)
        lines = t.run([t.syncline, "report", recording.directory, "--no-files"], env={"COLUMNS": "120"}).out.decode().splitlines()
        worth = [finding for finding in told["findings"] if finding["worth"]]
        if problem.problem is None:
            t.equal(worth, [], f"{problem.name}: invented")
            said = "no GPU work was recorded" if not told["devices"] else "nothing found"
            t.check(lines[1].startswith(said), f"{problem.name}: {lines}")
            continue
        # Whoever does the host's work ahead keeps the device busy, too.
        first = next((finding for finding in worth if finding["kind"] in problem.kinds.split() or finding["kind"] not in problems.HOST_WORK), None)
        t.check(first and first["kind"] in problem.kinds.split(), f"{problem.name}: {worth[:2]}")
        check_first(t, problem, worth, lines)


def check_first(t, problem, worth, lines):
    """Of the findings that may be first, one stands in the first ten lines with its problem, its line or stage, and its rank."""
    path, number = problems.line_of(problem)
    found = [finding for finding in worth if finding["kind"] in problem.kinds.split() and is_there(finding, problem, path, number)]
    t.check(found and found[0]["gain_percent"] >= LEAST, f"{problem.name}: {worth[:3]}")
    text = " ".join(" ".join(lines[:10]).split())
    t.check(found[0]["problem"] in text, f"{problem.name}: {text}")
    place = f":{number} " if f":{number} " in found[0]["where"] else f"in `{found[0]['stage']}`"
    t.check(place in text, f"{problem.name}: no {place} in {text}")
    if problem.rank is not None:
        t.check(f"rank {problem.rank}" in text, f"{problem.name}: {text}")


def is_there(finding, problem, path, number):
    if problem.rank is not None:
        return (finding["rank"], finding["stage"]) == (f"rank {problem.rank}", problem.range)
    return finding["where"].startswith(f"{path}:{number} ") or finding["stage"] == problem.range


def check_rank(t, problem, recording, env):
    """The table's rank is the one for which the others waited longest, by the truth files of the ranks, when all had begun."""
    t.equal(recording.ranks(), list(range(problem.ranks)), problem.name)
    waited = Counter()
    for rank in range(problem.ranks):
        with open(t.truth(recording.trace(rank), env)) as file:
            for row in map(json.loads, file):
                if row["op"] == "collective" and row["ranks"] == problem.ranks and row["sequence"] > 1:
                    waited[row["last_rank"]] += max(0, row["last_ns"] - row["start_ns"])
    t.equal(waited.most_common(1)[0][0], problem.rank, f"{problem.name}: {waited}")
