# SPDX-License-Identifier: Apache-2.0
"""`report --finding N` shows one finding in each format, and with --evidence what stands behind it, in 8 KiB at most."""

import json

from twins import CUDA, marked_line

LABELS = ("gpu",)
MODES = ("launcher",)


def test(t):
    t.simulated_only("kernels take what the table says")
    path, number = marked_line("tests/simulated_gpu/programs/twins.cu", "twin", "stream_sync")
    recording = t.record([t.cuda_program("twins"), "stream_sync"], env={**t.gpu_environment(), "SIMGPU_DURATIONS": CUDA})

    def report(*options):
        return t.run([t.syncline, "report", recording.directory, *options])

    told = report("--format", "json", "--finding", "1", "--evidence")
    t.check(told.status == 0 and len(told.out) <= 8192, f"{told}")
    evidence = json.loads(told.out)
    t.equal((evidence["schema"], evidence["finding"]["number"]), ("syncline.evidence/1", 1))
    t.check(f":{number} " in evidence["finding"]["where"], f"{evidence['finding']}")
    slice = evidence["slice"]
    t.check(slice["end_ns"] > slice["begin_ns"] and slice["records"], f"{slice}")
    lengths = [record["length_ms"] for record in slice["records"]]
    t.equal(lengths, sorted(lengths, reverse=True), "the longest first")
    t.check(f":{number} " in " ".join(evidence["stacks"][0]["frames"]), f"{evidence['stacks']}")
    with open(path) as file:
        text = file.read().splitlines()[number - 1]
    marked = [line for line in evidence["source"][0]["lines"] if line["marked"]]
    t.equal([(line["number"], line["text"]) for line in marked], [(number, text)], f"{evidence['source']}")
    whole = json.loads(report("--format", "json").out)["findings"]
    t.equal(json.loads(report("--format", "json", "--finding", "1").out)["findings"], whole[:1])
    for options, lines in (([], 6), (["--format", "md"], 8), (["--format", "csv"], 2)):
        one = report("--finding", "1", *options).out.decode()
        t.check(len(one.splitlines()) <= lines and whole[0]["problem"] in " ".join(one.split()), f"{options}: {one}")
    for options, words in ((["--finding", "99"], "there is no finding 99"), (["--finding", "0"], "there is no finding 0"),
                           (["--finding", "x"], "whole number"), (["--evidence"], "add --finding N"),
                           (["--finding", "1", "--format", "findings"], "no numbered findings")):
        wrong = report(*options)
        t.equal((wrong.status, wrong.out), (125, b""), f"{options}: {wrong}")
        t.said(wrong, words)
