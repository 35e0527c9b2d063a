# SPDX-License-Identifier: Apache-2.0
"""What recordings of programs that exist twice say that their losses cost, beside what runs of both, bare, take."""

import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests/harness")]

import chains  # noqa: E402
import rank_twins  # noqa: E402
import twin_prices  # noqa: E402
import twins  # noqa: E402
from syncline_test import Skipped, Test  # noqa: E402

RUNS = 5
HEAD = ("case", "with, ms", "without, ms", "gain, ms", "predicted, ms", "off, % of the gain", "off, % of the steps", "recorded, ms")


def cells(twin, took, recorded):
    """A line of the table."""
    predicted = statistics.median(priced.gain_ms for priced in recorded)
    off = predicted - took.gain_ms
    of_gain = f"{100 * off / took.gain_ms:+.1f}" if twin.name not in twin_prices.NO_GAIN else ""
    run = statistics.median(priced.recorded_ms for priced in recorded)
    numbers = [f"{ms:.2f}" for ms in (took.with_ms, took.without_ms, took.gain_ms, predicted)]
    return (twin.name, *numbers, of_gain, f"{100 * off / took.with_ms:+.1f}", f"{run:.2f}"), off


def measure(bench):
    t = Test("launcher", str(bench.build), str(bench.scratch))
    good, lines = 0, []
    try:
        for twin in twins.TWINS:
            took = twins.measure_twin(t, twin, RUNS)
            line, off = cells(twin, took, [twin_prices.price(t, twin) for _ in range(RUNS)])
            lines.append(line)
            fits = abs(off) <= max(0.1 * abs(took.gain_ms), 0.02 * took.with_ms)
            good += fits
            steady = "" if took.is_steady() else "  not steady"
            print(f"  {line[0]:16}", *(f"{cell:>8}" for cell in line[1:]), "" if fits else "  off", steady, flush=True)
    except (AssertionError, Skipped) as error:
        raise RuntimeError(error) from error
    bench.tables.append((f"Simulated: medians of {RUNS} runs of each, bare, and of {RUNS} recordings of the one with its loss", HEAD, lines))
    bench.row(f"Simulated: gains within 10 % or 2 % of the steps, of {len(lines)}", good, "", "all")
    measure_chains(bench, t)
    measure_jobs(bench, t)


def measure_jobs(bench, t):
    """With one loss each, on two, four and eight ranks; eight have two processors here."""
    lines, good = [], 0
    for ranks in (2, 4, 8):
        for case in rank_twins.cases():
            try:
                job = rank_twins.measure(t, case, ranks, runs=3)
            except (AssertionError, Skipped) as error:
                raise RuntimeError(error) from error
            good += job.is_right()
            numbers = (job.with_ms, job.without_ms, job.gain_ms, job.told_ms, job.recorded_ms)
            lines.append((case, ranks, job.kind, *(f"{number:.1f}" for number in numbers)))
            print(f"  {case:10} {ranks}", *(f"{cell:>10}" for cell in lines[-1][2:]), "" if job.is_right() else "  off", flush=True)
    head = ("program", "ranks", "finding", "with, ms", "without, ms", "gain, ms", "told, ms", "recorded, ms")
    bench.tables.append(("Simulated: jobs of several ranks; medians of 3 bare runs of each, and one recording", head, lines))
    bench.row(f"Simulated: gains of jobs within 10 % or 2 % of the steps, of {len(lines)}", good, "", "all")


def measure_chains(bench, t):
    """Three losses each: every step of the order that the report gives, made after those before."""
    lines, good = [], 0
    for case in chains.CASES:
        try:
            chain = chains.follow(t, case)
        except (AssertionError, Skipped) as error:
            raise RuntimeError(error) from error
        good += not chain.faults() and not chain.unnamed
        for number, step in enumerate(chain.steps, 1):
            lines.append((case, number, step.name, f"{step.told_ms:.1f}", f"{step.true_ms:.1f}", f"{chain.whole_ms:.1f}"))
            print(f"  {case:10}", *(f"{cell:>12}" for cell in lines[-1][1:]), flush=True)
        for step in chain.unnamed:
            lines.append((case, "", step, "", "", f"{chain.whole_ms:.1f}"))
    head = ("program", "step", "change", "told, ms", "true, ms", "whole, ms")
    bench.tables.append(("Simulated: changes made one after another, in the order of the report; medians of 3 bare runs", head, lines))
    bench.row(f"Simulated: chains of changes whose steps are within 15 % or 1 %, of {len(chains.CASES)}", good, "", "all")
