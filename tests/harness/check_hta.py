#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs analyses of Holistic Trace Analysis on the traces of directories; says what each gave.

    check_hta.py DIR... [NAME...]

NAME: an analysis that must pass; default: all that ranges alone can feed; `gpu`, first: all that a GPU's rows feed. One line each, "name: ok
(N rows)" or "name: FAILS: reason"; an empty result fails. The exit status is 1 if one fails. Works
on a copy of DIR, because HTA writes beside its input, with traceinsight 0.6 and
HolisticTraceAnalysis 0.5.
"""

import contextlib
import copy
import glob
import gzip
import io
import json
import logging
import math
import os
import shutil
import sys
import tempfile
import warnings

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)

ANALYSES = {}
GPU_ANALYSES = {}


def analysis(function):
    ANALYSES[function.__name__] = function
    return function


def gpu_analysis(function):
    GPU_ANALYSES[function.__name__] = function
    return function


class Traces:
    """The copied traces and HTA's view of them."""

    def __init__(self, directory):
        self.directory = directory
        self.files = sorted(
            glob.glob(os.path.join(directory, "*.json"))
            + glob.glob(os.path.join(directory, "*.gz"))
        )
        self._loaded = None

    def fresh(self):
        """A copy, because some analyses change the frames."""
        from hta.trace_analysis import TraceAnalysis

        if self._loaded is None:
            self._loaded = TraceAnalysis(trace_dir=self.directory)
        return copy.deepcopy(self._loaded)

    def ranks(self):
        return self.fresh().t.get_ranks()


def count(value):
    """Rows of a result, however it is wrapped."""
    if value is None:
        return 0
    if isinstance(value, dict):
        return sum(count(item) for item in value.values())
    if isinstance(value, (list, tuple, set)):
        return sum(count(item) if hasattr(item, "columns") else 1 for item in value)
    return len(value) if hasattr(value, "__len__") else 1


def _validate(traces, level):
    from hta.utils.validate_trace import validate_trace_format

    for path in traces.files:
        good, errors = validate_trace_format(path, level)
        if not good:
            raise ValueError(f"{os.path.basename(path)}: {errors}")
    return traces.files


@analysis
def load(traces):
    """Every file is a rank of its own, and none of its ranges is missing."""
    view = traces.fresh().t
    if sorted(view.traces) != list(range(len(traces.files))):
        raise ValueError(f"{len(traces.files)} files but ranks {sorted(view.traces)}")
    for path in traces.files:
        with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
            document = json.load(file)
        rank = document["distributedInfo"]["rank"]
        slices = [event for event in document["traceEvents"] if event["ph"] == "X"]
        if any(event["name"].startswith("ProfilerStep") for event in slices):
            continue  # HTA leaves the last step out on purpose
        if len(view.traces[rank]) != len(slices):
            raise ValueError(
                f"rank {rank}: {len(slices)} slices in the file, {len(view.traces[rank])} loaded"
            )
    return list(view.traces)


@analysis
def ranks_found(traces):
    from hta.common.trace_file import create_rank_to_trace_dict

    found = create_rank_to_trace_dict(traces.files)[1]
    if len(found) != len(traces.files):
        raise ValueError(f"{len(traces.files)} files but ranks {sorted(found)}")
    return list(found)


@analysis
def validate_minimal(traces):
    return _validate(traces, "minimal")


@analysis
def validate_standard(traces):
    return _validate(traces, "standard")


@analysis
def validate_complete(traces):
    return _validate(traces, "complete")


@analysis
def profiler_steps(traces):
    return traces.fresh().get_profiler_steps()


@analysis
def cpu_user_annotation_breakdown(traces):
    return traces.fresh().get_gpu_user_annotation_breakdown(
        use_gpu_annotation=False, visualize=False
    )


@analysis
def call_stack(traces):
    from hta.common.trace_call_graph import CallGraph

    view = traces.fresh()
    CallGraph(view.t)
    deep = 0
    for rank in view.t.get_ranks():
        frame = view.t.get_trace(rank)
        # Waits for events and contexts stand on a GPU's row and belong to no stream: HTA gives them no place.
        if (frame[frame["pid"] >= 256]["depth"] < 0).any():
            raise ValueError(f"rank {rank}: a slice has no place in the call stack")
        deep += len(frame)
    return [None] * deep


@analysis
def nesting(traces):
    """HTA puts each slice of a thread as deep as it is."""
    from chrome_trace import Trace, depths, first_circles
    from hta.common.trace_call_graph import CallGraph

    view = traces.fresh()
    CallGraph(view.t)
    compared = []
    for path in traces.files:
        trace = Trace(path)
        frame = view.t.get_trace(trace.rank)
        found = dict(zip(frame["index"], frame["depth"]))
        circles = first_circles(trace)
        for index, depth in depths(trace):
            event = trace.events[index]
            if event["pid"] < 256 or index not in found:
                continue  # HTA leaves the last step out on purpose; `load` tells others
            if event["ts"] >= circles.get((event["pid"], event["tid"]), math.inf):
                continue
            if found[index] != depth:
                raise ValueError(f"{event} is at depth {found[index]}, not {depth}")
            compared.append(index)
    return compared


@analysis
def trace_diff(traces):
    from hta.trace_diff import LabeledTrace, TraceDiff

    view = traces.fresh()
    control = LabeledTrace("control", t=view.t)
    test = LabeledTrace("test", t=copy.deepcopy(view.t))
    rank = view.t.get_ranks()[0]
    TraceDiff.ops_diff(control, test, rank, rank)
    return TraceDiff.compare_traces(control, test)


# What GPU rows feed; only on demand.


@gpu_analysis
def temporal_breakdown(traces):
    return traces.fresh().get_temporal_breakdown(visualize=False)


@gpu_analysis
def kernel_breakdown(traces):
    return traces.fresh().get_gpu_kernel_breakdown(visualize=False, include_memory_kernels=True)


@gpu_analysis
def idle_time_breakdown(traces):
    return traces.fresh().get_idle_time_breakdown(
        ranks=traces.ranks(), visualize=False, show_idle_interval_stats=True
    )


@gpu_analysis
def comm_comp_overlap(traces):
    return traces.fresh().get_comm_comp_overlap(visualize=False)


@gpu_analysis
def queue_length(traces):
    view = traces.fresh()
    series = view.get_queue_length_time_series(ranks=traces.ranks())
    view.get_time_spent_blocked_on_full_queue(series)
    return series


@gpu_analysis
def queue_length_summary(traces):
    return traces.fresh().get_queue_length_summary(ranks=traces.ranks())


@gpu_analysis
def memory_bandwidth(traces):
    return traces.fresh().get_memory_bw_time_series(ranks=traces.ranks())


@gpu_analysis
def memory_bandwidth_summary(traces):
    return traces.fresh().get_memory_bw_summary(ranks=traces.ranks())


@gpu_analysis
def kernel_launch_stats(traces):
    return traces.fresh().get_cuda_kernel_launch_stats(ranks=traces.ranks(), visualize=False)


def ranges_by_length(traces):
    """Names of the program's ranges, the longest first."""
    view = traces.fresh()
    frame = view.t.get_trace(traces.ranks()[0])
    names = view.t.symbol_table.get_sym_table()
    ranges = frame[frame["cat"].map(lambda cat: names[cat] == "user_annotation")]
    longest = ranges.sort_values("dur", ascending=False)["name"]
    return [names[name] for name in longest.drop_duplicates()]


@gpu_analysis
def critical_path(traces):
    view = traces.fresh()
    graph, good = view.critical_path_analysis(
        rank=traces.ranks()[0], annotation=ranges_by_length(traces)[0], instance_id=0
    )
    if not good:
        raise ValueError("no critical path")
    return graph.get_critical_path_breakdown()


@gpu_analysis
def kernels_with_user_annotations(traces):
    """Every kernel that a range launched is in one; in programs that launch outside of ranges not all are."""
    found = []
    for rank in traces.ranks():
        frame = traces.fresh().get_gpu_kernels_with_user_annotations(rank=rank)
        found += [name for name in frame["s_user_annotation"] if isinstance(name, str) and name]
    return found


@gpu_analysis
def gpu_user_annotation_breakdown(traces):
    return traces.fresh().get_gpu_user_annotation_breakdown(
        use_gpu_annotation=True, visualize=False
    )


def kernel_sequences(traces, name):
    view = traces.fresh()
    # HTA starts from the shallowest slices of that name, and takes those on the GPU for the shallowest.
    projected = view.t.symbol_table.get_sym_id_map().get("gpu_user_annotation")
    for rank in traces.ranks():
        frame = view.t.get_trace(rank)
        view.t.traces[rank] = frame[frame["cat"] != projected]
    return view.get_frequent_cuda_kernel_sequences(
        operator_name=name,
        output_dir=traces.directory,
        min_pattern_len=2,
        rank=traces.ranks()[0],
        visualize=False,
    )


@gpu_analysis
def frequent_kernel_sequences(traces):
    """Of the first range, from the longest on, in which sequences repeat: not every range has some."""
    found = None
    for name in ranges_by_length(traces):
        found = kernel_sequences(traces, name)
        if len(found):
            break
    return found


def versions():
    import importlib.metadata

    found = {d.name: d.version for d in importlib.metadata.distributions()}
    return ", ".join(
        f"{name} {found[name]}"
        for name in ("traceinsight", "HolisticTraceAnalysis", "pandas")
        if name in found
    )


def main(arguments):
    if not arguments or not os.path.isdir(arguments[0]):
        sys.stderr.write(__doc__)
        return 2
    directories = [argument for argument in arguments if os.path.isdir(argument)]
    wanted = arguments[len(directories) :] or list(ANALYSES)
    if wanted[0] == "gpu":
        wanted[:1] = GPU_ANALYSES
    known = {**ANALYSES, **GPU_ANALYSES}
    unknown = [name for name in wanted if name not in known]
    if unknown:
        sys.stderr.write(f"check_hta: unknown: {' '.join(unknown)}; known: gpu {' '.join(known)}\n")
        return 2
    print(versions())
    return 0 if all([run(directory, [(name, known[name]) for name in wanted]) for directory in directories]) else 1


def run(directory, analyses):
    """Whether all of them pass on the traces of one directory."""
    print(f"{directory}:", flush=True)
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for ending in ("json", "gz"):
            for path in glob.glob(os.path.join(directory, "*." + ending)):
                shutil.copy(path, folder)
        traces = Traces(folder)
        for name, function in analyses:
            noise = io.StringIO()
            try:
                with contextlib.redirect_stdout(noise), contextlib.redirect_stderr(noise):
                    rows = count(function(traces))
                if not rows:
                    raise ValueError("empty result")
                print(f"{name}: ok ({rows} rows)", flush=True)
            except (
                Exception
            ) as error:  # an analysis may raise anything; what it raised is the finding
                print(
                    f"{name}: FAILS: {type(error).__name__}: {' '.join(str(error).split())[:300]}",
                    flush=True,
                )
                good = False
    return good


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
