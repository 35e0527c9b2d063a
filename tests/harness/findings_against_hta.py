#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares `syncline findings --json` with HTA's temporal breakdown of the same traces.

    findings_against_hta.py DIR FINDINGS

Prints each difference and the figures; exit status 1 if there is a difference. To be run in an environment with HTA and with
HTA_DISABLE_NS_ROUNDING=1. HTA takes rows of calls (`Stream Sync`, `Stream Wait Event`) for work of the GPU: they are taken away before.
HTA puts all devices of a rank on one line, so the traces have to be of one device a rank."""

import contextlib
import io
import json
import logging
import sys
import warnings

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)

from chrome_trace import SYNC_CAT  # noqa: E402

SLACK_NS = 8  # an operation: its ends are whole nanoseconds, and what follows at once is shown 1 ns later


def breakdown(directory):
    noise = io.StringIO()
    with contextlib.redirect_stdout(noise), contextlib.redirect_stderr(noise):
        from hta.trace_analysis import TraceAnalysis

        view = TraceAnalysis(trace_dir=directory)
        calls = view.t.symbol_table.get_sym_id_map().get(SYNC_CAT)
        view.t.traces = {rank: frame[frame["cat"] != calls] for rank, frame in view.t.traces.items()}
        return view.get_temporal_breakdown(visualize=False).set_index("rank")


def main(directory, findings):
    with open(findings) as file:
        ranks = json.load(file)["ranks"]
    table, faults = breakdown(directory), 0
    for name, rank in ranks.items():
        [device] = rank["devices"]
        row = table.loc[rank["rank"]]
        told = {"idle_time": device["idle_ns"], "compute_time": device["kernels_ns"],
                "non_compute_time": device["busy_ns"] - device["kernels_ns"], "kernel_time": device["idle_ns"] + device["busy_ns"]}
        for what, ns in told.items():
            hta = row[f"{what}(us)"] * 1000
            off = abs(hta - ns)
            print(f"{name}, {what}: {ns} ns, HTA {hta:.0f} ns")
            faults += off > SLACK_NS * device["operations"]
    print(f"{faults} differ")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
