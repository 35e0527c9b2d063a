# SPDX-License-Identifier: Apache-2.0
"""What a recording of a job of which one rank comes late says of it, after the run and in its sums, beside what is true."""

import json
import re

LINE = re.compile(r"syncline: rank (\d+) came last to (\d+) of (\d+) collectives?; the others waited ([\d.]+ \w+) for it"
                  r"( \(clocks .*\))?(?:, (?:from|on the way|within) .*?)?; that is worth [\d.]+ \w+ \(\d+(?:\.\d)? %\) if that rank comes when the others do")


def judge(t, recording, env, ranks, what, apart_s=None):
    """`apart_s`: how far the clocks of the two machines are apart on which the ranks were. Gives the facts of the rank that was late."""
    t.equal(recording.ending, "status 0", f"{what}: {recording}")
    t.equal(recording.ranks(), list(range(ranks)), f"{what}: {recording}")
    lines = [match for match in map(LINE.fullmatch, recording.said) if match]
    t.equal(len(lines), 1, f"{what}: {recording.said}")
    told = t.run([t.syncline, "findings", recording.directory, "--json"])
    t.equal(told.status, 0, f"{what}: {told}")
    merged = json.loads(told.out)
    met = merged["collectives"]
    truth = [row for rank in range(ranks) for row in map(json.loads, open(t.truth(recording.trace(rank), env)))
             if row["op"] == "collective" and row["ranks"] == ranks]
    # On a busy machine another rank may truly cost more: the one that starts last keeps all others waiting in the first collective.
    costs = {rank: sum(max(0, row["last_ns"] - row["start_ns"]) for row in truth if row["last_rank"] == rank) for rank in range(ranks)}
    late = max(costs, key=costs.get)
    true_last, waited = sum(row["last_rank"] == late for row in truth) // ranks, costs[late]
    facts = met["ranks"][str(late)]
    t.equal(int(lines[0].group(1)), late, f"{what}: {recording.said}, truly {costs}")
    t.equal((int(lines[0].group(2)), int(lines[0].group(3))), (facts["came_last"], facts["met"]), f"{what}: line and sums")
    t.equal(facts["met"], len(truth) // ranks, f"{what}: collectives")
    t.check(abs(facts["came_last"] - true_last) <= 1, f"{what}: came last to {facts}, truly {true_last}")
    error = len(truth) * (met["clock_error_ns"] + 2000)
    told_ns = sum(rank["waited_for_ns"].get(str(late), 0) for rank in met["ranks"].values())
    t.check(abs(told_ns - waited) <= error, f"{what}: {told_ns} ns told, {waited} true, error {error}")
    if apart_s is None:
        t.equal(met["clock_error_ns"], 0, what)
    else:
        apart = met["clock_offset_ns"]
        t.check(abs(apart - apart_s * 10**9) <= met["clock_error_ns"], f"{what}: {apart} ns apart, error {met['clock_error_ns']}")
        t.check("clocks of several machines" in lines[0].group(5), f"{what}: {recording.said}")
    return facts
