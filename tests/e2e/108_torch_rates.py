# SPDX-License-Identifier: Apache-2.0
"""Rates of operators, steps and ranks whose FLOPs and times are known: a product of 2 x 512 x 256 x 1024 FLOP takes 200 us on the simulated GPU,
of which no datasheet is known; with the name of a GPU that has one, all is held against that."""

import gzip
import json
import os

LABELS = ("torch", "gpu")
MODES = ("launcher",)
TIMEOUT = 120
STEPS, PRODUCTS = 6, 3
LARGE, SMALL = 2 * 512 * 256 * 1024, 2 * 64 * 64 * 64
BYTES = 2 * (512 * 256 + 256 * 1024 + 512 * 1024)
STEP = PRODUCTS * LARGE + SMALL
SECONDS = 200e-6
PEAK, MEMORY = 989.5, 4800  # of an H200: TFLOP/s in bf16, GB/s


def test(t):
    t.simulated_only()
    env = t.torch_environment({"SIMGPU_DURATIONS": "*gemm*=200us,*=10us"})
    recording = t.record([*t.torch_program("rates"), str(STEPS)], ["--torch", "shapes"], env)
    t.equal((recording.ending, recording.losses()), ("status 0", {}), f"{recording}")
    without_datasheet(t, recording.directory)
    by_shape(t, recording.directory)
    as_h200(t, recording.directory)


def report(t, directory, *options):
    return json.loads(t.run([t.syncline, "report", "--no-files", "--format", "json", *options, directory]).out)


def near(t, value, wanted, what):
    t.check(abs(value - wanted) <= 1e-3 * wanted, f"{what}: {value}, not {wanted}")


def without_datasheet(t, directory):
    found = report(t, directory)
    mm = next(row for row in found["operators"] if row["name"] == "aten::mm")
    t.equal(mm["flops"], (STEPS + 1) * STEP, "FLOPs of mm")
    near(t, mm["tflops_per_s"], STEP / (4 * SECONDS) / 1e12, "rate of mm")
    t.equal((mm["peak_percent"], mm["bound_by"]), (None, ""), "no peak")
    bf16, fp32 = found["rates"]
    t.equal((bf16["format"], bf16["flops"], bf16["best_operator"]), ("bf16", (STEPS + 1) * PRODUCTS * LARGE, "aten::mm"), "bf16")
    near(t, bf16["best_tflops_per_s"], LARGE / SECONDS / 1e12, "best of bf16")
    near(t, fp32["best_tflops_per_s"], SMALL / SECONDS / 1e12, "best of fp32")
    near(t, found["best_bytes_per_s"], BYTES / SECONDS, "bytes")
    [steps] = found["steps"]
    t.equal((steps["flops"], steps["mfu_percent"]), (STEP, None), "a step")
    t.check(0.5 * STEP / 1e12 / 0.81e-3 < steps["tflops_per_s"] <= STEP / 1e12 / 0.8e-3, f"{steps}")
    text = " ".join(t.run([t.syncline, "report", "--no-files", directory]).out.decode().split())
    t.check("a step of rank-0 computes 806 MFLOP on its GPU " in text, text)
    t.check("operators whose FLOP are known take 98 % of the time of kernels and graphs" in text, text)
    t.check("no datasheet of Simulated H100-like GPU (no arithmetic) is known" in text, text)


def by_shape(t, directory):
    rows = {row["shapes"]: row for row in report(t, directory, "--by-shape")["operators"] if row["name"] == "aten::mm"}
    large, small = rows["[[512, 256], [256, 1024]]"], rows["[[64, 64], [64, 64]]"]
    t.equal((large["count"], large["flops"], small["count"]), (21, 21 * LARGE, 7), "by shape")
    t.equal(large["least_bytes"], 21 * BYTES, "bytes")
    near(t, large["tflops_per_s"], LARGE / SECONDS / 1e12, "rate")


def as_h200(t, directory):
    path = os.path.join(directory, "run", "rank-0.findings")
    with gzip.open(path) as file:
        text = file.read().replace(b"Simulated H100-like GPU (no arithmetic)", b"NVIDIA H200")
    with gzip.open(path, "w") as file:
        file.write(text)
    large = next(row for row in report(t, directory, "--by-shape")["operators"] if row["shapes"] == "[[512, 256], [256, 1024]]")
    near(t, large["peak_percent"], 100 * LARGE / SECONDS / 1e12 / PEAK, "of peak")
    t.check(LARGE / PEAK / 1e12 < BYTES / MEMORY / 1e9, "the test")
    t.equal(large["bound_by"], "memory", "bound")
    found = report(t, directory)
    near(t, found["rates"][0]["peak_tflops_per_s"], PEAK, "peak of bf16")
    t.equal(found["rates"][1]["peak_tflops_per_s"], None, "fp32 has two peaks")
    [steps] = found["steps"]
    near(t, steps["mfu_percent"], 100 * steps["tflops_per_s"] / PEAK, "MFU of a step")
    t.check(0 < found["ranks"][0]["mfu_percent"] < steps["mfu_percent"], f"{found['ranks']}")
