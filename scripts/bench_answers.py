# SPDX-License-Identifier: Apache-2.0
"""Of programs whose costliest line is known: how many reports name it first, and whether they do so in each run."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests/harness")]

import answers  # noqa: E402
from syncline_test import Skipped, Test  # noqa: E402

RUNS = 5
HEAD = ("program", "right line first", "no wrong line", "the same in each run", "what was wrong")


def place_of(finding):
    """What has to be the same in each run."""
    return finding["kind"], finding["where"], finding["below"]


def measure_one(t, program):
    runs = [answers.told(t, program) for _ in range(RUNS)]
    wrong = [answers.faults(program, findings) for findings in runs]
    first = sum(not any(fault.startswith(("first", "nothing", "invented")) for fault in faults) for faults in wrong)
    clean = sum(not any(fault.startswith("wrong") for fault in faults) for faults in wrong)
    same = [len({tuple(map(place_of, findings[:most])) for findings in runs}) == 1 for most in (1, answers.FIRST)]
    said = "; ".join(sorted({fault for faults in wrong for fault in faults}))
    return first, clean, same, said


def measure(bench):
    t = Test("launcher", str(bench.build), str(bench.scratch))
    lines, good, steady = [], 0, [0, 0]
    try:
        for program in [*answers.programs(t), *answers.twin_programs(t), *answers.programs_without_a_line(t),
                        *answers.programs_of_ranks(t), *answers.native_programs(t)]:
            first, clean, same, said = measure_one(t, program)
            good += first == clean == RUNS
            steady = [count + is_same for count, is_same in zip(steady, same)]
            alike = "differs" if not same[0] else "first" if not same[1] else "three"
            lines.append((program.name, f"{first}/{RUNS}", f"{clean}/{RUNS}", alike, said))
            print(f"  {program.name:26} {first}/{RUNS} {clean}/{RUNS} {alike:8} {said}", flush=True)
    except (AssertionError, Skipped) as error:
        raise RuntimeError(error) from error
    bench.tables.append((f"Simulated: the first finding of {len(lines)} programs, {RUNS} recordings of each", HEAD, lines))
    bench.row(f"Simulated: right line first in each run and no wrong one, of {len(lines)}", good, "", "19 of 20")
    bench.row(f"Simulated: the same first finding in each run, of {len(lines)}", steady[0], "", "all")
    bench.row(f"Simulated: the same first {answers.FIRST} in each run, in their order, of {len(lines)}", steady[1], "", "")
