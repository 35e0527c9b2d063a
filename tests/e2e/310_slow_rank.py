# SPDX-License-Identifier: Apache-2.0
"""Four ranks without a GPU, of which one computes longer: the report names the rank, its stage and its share in each format, and says where
the others wait, though nobody saw a collective. Where these are in a range that is called so, it says what the rank's delay costs. Ranges of
both kinds are compared. Of ranks that are alike it names none."""

import csv
import io
import json

LABELS = ("mpi",)
MODES = ("launcher",)
RANKS, SLOW, STEPS = 4, 2, 20
MEANWHILE = {"range": "`MPI_Barrier`", "started": "`MPI_Barrier`", "bare": "no range"}
STAGES = {"range": 3, "started": 4}


def test(t):
    for meet in ("never", "range", "bare", "started"):
        check(t, record(t, SLOW, meet), meet)
    for meet in ("range", "started"):
        told = json.loads(report(t, record(t, -1, meet), "--format", "json"))
        t.equal(told["findings"], [], "ranks that are alike")


def record(t, slow, meet):
    directory = t.new_directory()
    mpirun = [t.need("mpirun.openmpi"), "--allow-run-as-root", "--oversubscribe", "-n", str(RANKS)]
    t.record_command([*mpirun, *t.launch([t.victim("mpi_uneven"), str(slow), meet], (), directory)], directory, timeout=100)
    return directory


def report(t, directory, *options):
    return t.run([t.syncline, "report", directory, *options]).out.decode()


def check(t, directory, meet):
    told = json.loads(report(t, directory, "--format", "json"))
    [finding] = told["findings"]
    t.equal((finding["kind"], finding["rank"], finding["stage"], finding["count"]), ("slow_rank", f"rank {SLOW}", "compute", STEPS), f"{finding}")
    longer = STEPS * 25
    t.check(0.8 * longer < finding["blocked_ms"] < 1.5 * longer, f"{finding}")
    priced = meet in STAGES
    t.check(0.5 * longer < finding["gain_ms"] <= finding["blocked_ms"] if priced else finding["gain_ms"] is None, f"{finding}")
    t.check(abs(finding["share_percent"] - 100 * finding["blocked_ms"] / told["length_ms"]) < 1, f"{finding}")
    t.equal(told["imbalance_percent"], None, "no GPU computed")
    rows = {(row["name"], row["rank"]): row for row in told["rank_stages"]}
    t.equal(len(rows), RANKS * STAGES.get(meet, 2), f"{rows}")
    t.check(rows["compute", "rank-2"]["beyond_ms"] > 0.8 * longer, f"{rows}")
    sheet = list(csv.DictReader(io.StringIO(report(t, directory, "--format", "csv"))))
    t.equal({(row["stage"], row["rank"]) for row in sheet if row["kind"] == "stage_of_rank"}, set(rows), "CSV")
    text, page = report(t, directory), open(f"{directory}/report/report.html").read()
    for name, form in {"text": text, "page": page, "md": report(t, directory, "--format", "md")}.items():
        words = " ".join(form.split())
        t.equal("o GPU work was recorded, so nothing can be priced" in words, not priced, name)
        t.check(f"rank {SLOW} takes 3" in words, name)
        t.check("Stages by rank" in words and "mbalance " not in words, name)
    meanwhile = f"the others are in {MEANWHILE.get(meet)} meanwhile"
    t.equal(meanwhile in finding["problem"], meet != "never", f"{finding}")
    t.equal([line for line in told["health"] if "ranks seem to wait for each other" in line] != [], meet != "never", f"{told['health']}")
