# SPDX-License-Identifier: Apache-2.0
"""Unknown and wrong options and variables: what is wrong, the nearest name, what to do; 125 without
running anything."""

LABELS = ("sanitized",)


def test(t):
    hello, recorded = t.victim("hello"), t.victim("deep")
    for arguments, words in (
        (["--memory-rign", "5M"], ["--memory-rign", "--memory-ring"]),
        (["--memory-ring", "lots"], ["--memory-ring", "lots"]),
        (["--memory-ring"], ["--memory-ring"]),
        (["--time-unit", "hours"], ["--time-unit", "hours"]),
        (["--cuda-api", "most"], ["--cuda-api", "most", "short, full and none"]),
        (["--consumer", "nobody"], ["--consumer", "nobody"]),
        (["-o", ""], ["''", "--output", "a directory"]),
        (["--phases", "x"], ["no option --phases. `syncline help run`"]),
    ):
        result = t.run([t.syncline, "run", "-o", t.path("none"), *arguments, "--", hello])
        if arguments == ["--memory-ring"]:
            result = t.run([t.syncline, "run", "--memory-ring"])
        t.equal((result.status, result.out), (125, b""), f"{arguments}: {result}")
        t.said(result, *words)
    result = t.run([t.syncline, "run"])
    t.equal(result.status, 125)
    t.said(result, "syncline")
    recording = t.record([recorded, "1"], env={"SYNCLINE_MEMORY_RIGN": "5M"})
    t.said(recording, "SYNCLINE_MEMORY_RIGN", "SYNCLINE_MEMORY_RING")
    recording = t.record([recorded, "1"], env={"SYNCLINE_MEMORY_RING": "lots"})
    t.said(recording, "SYNCLINE_MEMORY_RING", "lots")
    recording = t.record([recorded, "1"], env={"SYNCLINE_PHASES": "denoise*", "SYNCLINE_TIME_UNIT": ""})
    t.said(recording, "SYNCLINE_PHASES is not known and is ignored; `syncline options`")
    t.equal(len([line for line in recording.said if "did you mean" in line or "TIME_UNIT" in line]), 0, f"{recording}")
