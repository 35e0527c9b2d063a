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
        (["--min-duration", "10"], ["--min-duration", "a time with its unit: 10us, 10ms"]),
        (["--stack-depth", "0"], ["--stack-depth", "from 1 to 1024"]),
        (["--memory-ring", "1"], ["--memory-ring", "at least 8K"]),
        (["--memory-process", "64K"], ["--memory-process", "at least 548K"]),
        (["--quiet=maybe"], ["--quiet takes no value: write --quiet or --no-quiet."]),
        (["--dry-run=1"], ["--dry-run takes no value: write --dry-run."]),
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
    # Where a program is recorded, a wrong value is the default: the program runs, and its log says it, too.
    recording = t.record([recorded, "1"], env={"SYNCLINE_DELAY": "10", "SYNCLINE_STACK_DEPTH": "0"})
    t.said(recording, "SYNCLINE_DELAY=10 is ignored", "10ms")
    t.said(recording, "SYNCLINE_STACK_DEPTH=0 is ignored", "1 to 1024")
    t.check(recording.trace().ranges(), "nothing was recorded")
    log = "".join(process["log"] for process in recording.manifest()["processes"])
    t.check("SYNCLINE_DELAY=10; it counts as 0" in log and "SYNCLINE_STACK_DEPTH=0; it counts as 128" in log, log)
    for how in ({"options": ["--cuda-gap", "1m"]}, {"options": ["--cuda-gap=1m"]}, {"env": {"SYNCLINE_CUDA_GAP": "1m"}}):
        recording = t.record([recorded, "1"], **how)
        t.said(recording, "CUDA_GAP is called SYNCLINE_GPU_GAP now" if "env" in how else "--cuda-gap is called --gpu-gap now")
        t.equal(sum("GAP" in line.upper() for line in recording.said), 1, f"told once: {recording}")
    recording = t.record([recorded, "1", "--cuda-gap"], options=["--gpu-gap", "1m"])
    t.equal([line for line in recording.said if "gap" in line], [], "the program's own argument")
    recording = t.record([recorded, "1"], env={"SYNCLINE_PHASES": "denoise*", "SYNCLINE_TIME_UNIT": ""})
    t.said(recording, "SYNCLINE_PHASES is not known and is ignored; `syncline options`")
    t.equal(len([line for line in recording.said if "did you mean" in line or "TIME_UNIT" in line]), 0, f"{recording}")
