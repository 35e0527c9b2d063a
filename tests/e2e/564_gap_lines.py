# SPDX-License-Identifier: Apache-2.0
"""A gap in which the host was busy is told with the line at which it was and the line before, in the trace, in the findings and in the
line after the run."""

import re

LABELS = ("gpu", "torch")
TIMEOUT = 120
BETWEEN = 6_000_000  # ns: longer than all gaps but those in which the program prepares


def test(t):
    command, env = t.torch_program("gaps"), t.torch_environment()
    with open(command[-1]) as file:
        line_of = {line.split("# ")[1].strip(): number for number, line in enumerate(file, 1) if line.startswith(" ") and "  # " in line}
    recording = t.past_exit_race(lambda: t.record(command, env=env), env)
    t.equal(recording.status, 0, str(recording))
    gaps = [gap for gap in recording.trace(0).gaps() if gap.end - gap.begin > BETWEEN and gap.args["cause"] == "host busy"]
    found = [tuple(line(gap.args.get(key, "")) for key in ("before", "next")) for gap in gaps]
    first, second = (line_of["second"], line_of["before first"]), (line_of["waits"], line_of["before second"])
    t.equal(found[-8:], [first, second] * 4, "lines around the gaps, but for those of the first turn, which loads code")
    table = t.run([t.syncline, "findings", recording.directory]).out.decode()
    for before, after in (first, second):
        row = rf"\nGaps of GPUs(.*\n)+?from line {before} to \S+:{after} main\(\)"
        t.check(re.search(row, table), f"no row {row}: {table}")
    t.check(any("computed nothing" in said and "gaps.py:" in said for said in recording.said), f"{recording.said}")
    without = t.past_exit_race(lambda: t.record(command, ["--stacks", "none"], env=env), env)
    t.check(not any({"before", "next"} & gap.args.keys() for gap in without.trace(0).gaps()), "lines without stacks")


def line(text):
    match = re.fullmatch(r".*gaps\.py:(\d+) main\(\)", text)
    return int(match[1]) if match else text
