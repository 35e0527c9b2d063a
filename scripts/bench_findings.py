# SPDX-License-Identifier: Apache-2.0
"""How fast the findings of a rank are made: of 10 million events, without the trace and with it; and HTA on the same trace, a smaller
one because HTA reads text."""

import json
import os
import pathlib
import subprocess

import bench_packages

ROOT = pathlib.Path(__file__).resolve().parent.parent
LAUNCHES = 4_500_000  # 10 million events: a call and an operation each, a range around five, a wait after 100
LAUNCHES_FOR_HTA = 200_000
ROUNDS = 3
HTA = """
import contextlib, io, json, sys, time, warnings, logging
warnings.simplefilter("ignore"); logging.disable(logging.CRITICAL)
from hta.trace_analysis import TraceAnalysis
times = [time.process_time()]
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    view = TraceAnalysis(trace_dir=sys.argv[1])
    times.append(time.process_time())
    view.get_temporal_breakdown(visualize=False)
    view.get_gpu_kernel_breakdown(visualize=False)
    view.get_idle_time_breakdown(ranks=[0], visualize=False)
    times.append(time.process_time())
print(json.dumps([after - before for before, after in zip(times, times[1:])]))
"""


def spool(bench, folder, launches, threads=1):
    path = folder / "run/spool/host/4210.spool"
    path.parent.mkdir(parents=True)
    subprocess.run([str(bench.build / "bench/writer_bench"), "--training-spool", str(path), str(launches), str(threads)], check=True)
    return path


def best(bench, path):
    """The run that took least: other work only ever adds."""
    program = str(bench.build / "bench/findings_bench")
    return min((bench.read_json([program, str(path)]) for _ in range(ROUNDS)), key=lambda found: found["all_s"])


def recovered(bench, folder):
    return bench_packages.passed(bench.syncline, "recover", folder)


def measure(bench):
    for threads in (1, 4):
        folder = bench.scratch / f"findings-{threads}"
        path = spool(bench, folder, LAUNCHES, threads)
        found = best(bench, path)
        what = f"{threads} thread{'s' * (threads > 1)}"
        millions = found["events"] / 1e6
        bench.row(f"findings: {what}, what is found out alone", millions / found["findings_s"], "M events/s", "at least 5")
        bench.row("  with both readings of the records", millions / found["all_s"], "M events/s")
        _, used = recovered(bench, folder)
        bench.row("  with the trace, compressed", millions / used, "M events/s")
    with_hta(bench)


def with_hta(bench):
    python = ROOT / "build/venv-hta/bin/python"
    if not python.exists():
        print("findings: HTA is not here (tests/harness/make_venvs.sh hta)")
        return
    folder = bench.scratch / "findings-hta"
    path = spool(bench, folder, LAUNCHES_FOR_HTA)
    found = best(bench, path)
    recovered(bench, folder)
    said = subprocess.run([str(python), "-c", HTA, str(folder)], capture_output=True, text=True, check=True,
                          env={**os.environ, "HTA_DISABLE_NS_ROUNDING": "1"}).stdout
    loading, analyses = json.loads(said.splitlines()[-1])
    bench.row(f"HTA: three breakdowns of {found['events']:,} events", analyses, "s CPU")
    bench.row("  reading the trace before", loading, "s CPU")
    bench.row("  HTA's breakdowns to all that Syncline finds out", analyses / found["findings_s"], "x", "at least 20")
    bench.row("  the same, each with its readings", (loading + analyses) / found["all_s"], "x", "at least 20")
