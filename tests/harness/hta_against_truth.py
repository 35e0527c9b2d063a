#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what Holistic Trace Analysis says of the traces of several ranks with the truth files of their simulated GPUs: temporal
breakdown, overlap of communication and computation, kernel breakdown, idle time, and the rank that is late.

    hta_against_truth.py [--late RANK] DIR TRUTH...

TRUTH: one file a rank, in the order of ranks. `--late`: the rank that HTA's get_potential_stragglers must name. Prints each difference
and the figures; exit status 1 if there is a difference. To be run in an environment with HTA (traceinsight 0.6 or
HolisticTraceAnalysis 0.5) and HTA_DISABLE_NS_ROUNDING=1.

Each sum is worked out from the truth's operations alone, by the definitions in HTA's documentation. HTA takes each row with a stream for
work of the GPU, `Stream Sync` and `Stream Wait Event` too, which are calls of the host and stand in no truth file as such: so the sums are
compared twice, without these rows (with the truth alone), and of the trace as it is (with the truth and these rows of the trace)."""

import contextlib
import glob
import gzip
import importlib.metadata
import io
import itertools
import json
import logging
import os
import statistics
import sys
import tempfile
import warnings
from collections import defaultdict, namedtuple

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)

from chrome_trace import SYNC_CAT  # noqa: E402
from gpu_truth import Comparison  # noqa: E402

KINDS = ("COMPUTATION", "COMMUNICATION", "MEMORY")  # in the order in which HTA names overlaps
# Both ends of a slice are written in whole nanoseconds, HTA reads them as doubles of microseconds since the base (steps of 1 ns), and
# what begins where the one before it ends is shown 1 ns later. On top comes how far the trace's clock goes from the truth's and back
# (seen: 2 ns; the comparison of the operations holds it to the stated error).
EDGE_NS = 2
IDLE_NS = 30  # three causes, each rounded by HTA to 10 ns

Span = namedtuple("Span", "kind name stream begin end")


def old_hta():
    """0.5 takes what waits for an event for computation, 0.6 for neither of the kinds."""
    return any(d.name == "HolisticTraceAnalysis" for d in importlib.metadata.distributions())


# ---- intervals


def union(spans, gap_ns=0):
    """Disjoint (begin, end), in order. `gap_ns`: from how far apart on two stay two."""
    merged = []
    for begin, end in sorted((span.begin, span.end) for span in spans):
        if merged and begin - merged[-1][1] <= gap_ns:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((begin, end))
    return merged


def of_kind(spans, kind, gap_ns=0):
    return union((span for span in spans if span.kind == kind), gap_ns)


def length(intervals):
    return sum(end - begin for begin, end in intervals)


def shared(intervals):
    """The pieces of time in which a set of kinds was at work, and no other kind: lengths by set. `intervals`: by kind."""
    edges = sorted({edge for of in intervals.values() for interval in of for edge in interval})
    found = defaultdict(list)
    for begin, end in itertools.pairwise(edges):
        kinds = tuple(kind for kind, of in intervals.items() if any(b <= begin and end <= e for b, e in of))
        if kinds:
            found[kinds].append(end - begin)
    return found


# ---- what is true


class TrueRank:
    """The operations of a rank's truth file as spans, and the trace's rows of calls that HTA takes for work, on the truth's clock."""

    def __init__(self, trace, truth):
        compared = Comparison(trace, truth)
        self.faults, self.edge_ns = compared.faults, EDGE_NS + compared.spread
        self.operations = [self.span(row, compared.names) for rows in compared.true.values() for row in rows]
        offset = round(statistics.median(compared.offsets))
        wait_kind = "COMPUTATION" if old_hta() else "OTHER"
        self.syncs = [
            Span(wait_kind if row.name == "Stream Wait Event" else "OTHER", row.name, row.args["stream"], row.begin - offset,
                 row.end - offset)
            for row in compared.trace.slices(cat=SYNC_CAT)
            if row.args["stream"] != -1
        ]

    @staticmethod
    def span(row, names):
        """As HTA sorts names: `nccl...`, `Memcpy...` and `Memset...`, all others."""
        if row["op"] in ("memcpy", "memset"):
            kind, name = "MEMORY", "Memset" if row["op"] == "memset" else f"Memcpy {row['copy_kind']}"
        else:
            name = names[row["name"]]
            kind = "COMMUNICATION" if name.startswith("nccl") else "COMPUTATION"
        return Span(kind, name, row["stream"], row["start_ns"], row["end_ns"])


# ---- the comparison


class Judge:
    def __init__(self, ranks):
        self.ranks, self.faults, self.compared, self.most_off, self.overlapped = ranks, 0, 0, 0, False

    def fault(self, text):
        self.faults += 1
        print(text if len(text) < 300 else f"{text[:120]} ... {text[-120:]}")

    def near(self, what, told_us, true_ns, tolerance_ns):
        """`told_us`: None where HTA says nothing."""
        self.compared += 1
        off = abs(told_us * 1000 - true_ns) if told_us is not None else true_ns
        self.most_off = max(self.most_off, off)
        if not off <= tolerance_ns:
            self.fault(f"{what}: HTA says {told_us} us, true are {true_ns / 1000} us, tolerance {tolerance_ns} ns")

    def temporal_breakdown(self, view, spans, slack_ns):
        table = view.get_temporal_breakdown(visualize=False).set_index("rank")
        for rank, of_rank in enumerate(spans):
            whole = max(span.end for span in of_rank) - min(span.begin for span in of_rank)
            compute, busy = length(of_kind(of_rank, "COMPUTATION")), length(union(of_rank))
            true = {"kernel_time": whole, "idle_time": whole - busy, "compute_time": compute, "non_compute_time": busy - compute}
            for name, ns in true.items():
                self.near(f"rank {rank}, {name}", table[f"{name}(us)"][rank], ns, slack_ns[rank])

    def overlap(self, view, spans, slack_ns):
        """Rounded by HTA to two decimals."""
        table = view.get_comm_comp_overlap(visualize=False).set_index("rank")
        for rank, of_rank in enumerate(spans):
            intervals = {kind: of_kind(of_rank, kind) for kind in KINDS[:2]}
            communication = length(intervals["COMMUNICATION"])
            true = 100 * sum(shared(intervals)[KINDS[:2]]) / communication
            told, tolerance = table["comp_comm_overlap_pctg"][rank], 0.005 + 100 * slack_ns[rank] / communication
            self.compared += 1
            self.overlapped |= true > 0
            print(f"  rank {rank}: {told} % of communication is under computation, true are {true:.3f} %")
            if not abs(told - true) <= tolerance:
                self.fault(f"rank {rank}, overlap: HTA says {told} %, true are {true} %, tolerance {tolerance} %")

    def kernel_breakdown(self, view, spans):
        """What begins where another ends is one piece in the truth, and 1 ns apart in the trace."""
        kinds, kernels = view.get_gpu_kernel_breakdown(visualize=False, num_kernels=10**6, include_memory_kernels=True)
        told = dict(zip(kinds["kernel_type"], kinds["sum"]))
        least, most = self.whole_microseconds(spans, -1), self.whole_microseconds(spans, 1)
        for name in sorted(set(most) | set(told)):
            self.compared += 1
            if not least[name] <= told.get(name, 0) <= most[name]:
                self.fault(f"{name}: HTA says {told.get(name)} us, true are {least[name]} to {most[name]} us")
        self.each_kernel(kernels, spans)

    def whole_microseconds(self, spans, sign):
        """How long kinds were at work at least (-1) or at most (1), summed over the ranks: HTA cuts each piece of time to whole
        microseconds."""
        found = defaultdict(int)
        for rank, of_rank in zip(self.ranks, spans):
            intervals = {kind: of_kind(of_rank, kind, gap_ns=min(sign, 0)) for kind in KINDS}
            for at_work, pieces in shared(intervals).items():
                found[" overlapping ".join(at_work)] += sum(max(0, ns + sign * 2 * rank.edge_ns) // 1000 for ns in pieces)
        return found

    def each_kernel(self, kernels, spans):
        """Of copies the truth knows the direction: `Memcpy HtoD (Pageable -> Device)` and the like are one name."""
        for rank, of_rank in enumerate(spans):
            true, told = defaultdict(list), defaultdict(lambda: [0, 0.0, 0.0])
            for span in of_rank:
                if span.kind in KINDS:
                    true[span.kind, span.name].append(span.end - span.begin)
            for row in kernels[kernels["rank"] == rank].to_dict("records"):
                name = row["name"].split(" (")[0] if row["kernel_type"] == "MEMORY" else row["name"]
                of_name = told[row["kernel_type"], name]
                of_name[0] += row["sum (us)"]
                of_name[1] = max(of_name[1], row["max (us)"])
                of_name[2] = min(of_name[2] or row["min (us)"], row["min (us)"])
            for key in sorted(set(true) | set(told)):
                durations = true.get(key, [0])
                for what, of, ns, events in zip(("sum", "longest", "shortest"), told.get(key, [None] * 3),
                                                (sum(durations), max(durations), min(durations)), (len(durations), 1, 1)):
                    self.near(f"rank {rank}, {what} of {key[1]}", of, ns, 2 * self.ranks[rank].edge_ns * events)

    def idle_of_streams(self, view, spans):
        """From the end of each operation to the begin of the next one in its stream."""
        table, _ = view.get_idle_time_breakdown(ranks=list(range(len(spans))), visualize=False)
        for rank, of_rank in enumerate(spans):
            streams = defaultdict(list)
            for span in sorted(of_rank, key=lambda span: span.begin):
                streams[span.stream].append(span)
            for stream, row in streams.items():
                true = sum(after.begin - before.end for before, after in itertools.pairwise(row))
                told = table[(table["rank"] == rank) & (table["stream"] == stream)]["idle_time"].sum()
                slack_ns = 2 * self.ranks[rank].edge_ns * len(row) + IDLE_NS
                self.near(f"rank {rank}, idle time of stream {stream}", told, true, slack_ns)

    def everything(self, directory):
        with without_noise():
            from hta.trace_analysis import TraceAnalysis

            view = TraceAnalysis(trace_dir=directory)
        alone = [rank.operations for rank in self.ranks]
        with_syncs = [rank.operations + rank.syncs for rank in self.ranks]
        print("as it is:")
        self.sums(view, with_syncs)
        print("without rows of calls:")
        calls = view.t.symbol_table.get_sym_id_map().get(SYNC_CAT)
        view.t.traces = {rank: frame[frame["cat"] != calls] for rank, frame in view.t.traces.items()}
        self.sums(view, alone)
        self.idle_of_streams(view, alone)
        if not self.overlapped:
            self.fault("no communication was under computation: nothing shows that HTA sees it")

    def sums(self, view, spans):
        slack_ns = [2 * rank.edge_ns * len(of_rank) for rank, of_rank in zip(self.ranks, spans)]
        self.temporal_breakdown(view, spans, slack_ns)
        self.overlap(view, spans, slack_ns)
        self.kernel_breakdown(view, spans)

    def straggler(self, directory, late):
        """HTA looks for kernels called ncclKernel..., as they were before NCCL 2.19 (today ncclDevKernel...), in ranges that are called as
        torch.profiler calls steps: on today's names it fails, whoever wrote the traces. And where it wants the last kernel of a step it takes the
        last one in the file. So it gets the old names and the order of time, in a copy."""
        with tempfile.TemporaryDirectory() as renamed, without_noise():
            for path in glob.glob(os.path.join(directory, "*.trace.json.gz")):
                with gzip.open(path, "rt") as file:
                    text = file.read()
                text = text.replace('"name": "ncclDevKernel_', '"name": "ncclKernel_').replace('"name": "step ', '"name": "ProfilerStep#')
                trace = json.loads(text)
                trace["traceEvents"].sort(key=lambda event: event.get("ts", 0))
                with open(os.path.join(renamed, os.path.basename(path).removesuffix(".gz")), "w") as file:
                    json.dump(trace, file)
            from hta.trace_analysis import TraceAnalysis

            told = TraceAnalysis(trace_dir=renamed).get_potential_stragglers(num_candidates=1)
        print(f"late by HTA: {told}")
        if told != [late]:
            self.fault(f"HTA says that rank {told} is late, not {late}")


@contextlib.contextmanager
def without_noise():
    noise = io.StringIO()
    with contextlib.redirect_stdout(noise), contextlib.redirect_stderr(noise):
        yield


def main(arguments):
    late = None
    if arguments[:1] == ["--late"]:
        late, arguments = int(arguments[1]), arguments[2:]
    if len(arguments) < 2:
        sys.exit(__doc__)
    directory, *truths = arguments
    if not os.environ.get("HTA_DISABLE_NS_ROUNDING"):
        sys.exit("HTA cuts times to whole microseconds unless HTA_DISABLE_NS_ROUNDING=1 is set: set it")
    ranks = [TrueRank(os.path.join(directory, f"rank-{rank}.trace.json.gz"), truth) for rank, truth in enumerate(truths)]
    judge = Judge(ranks)
    for rank in ranks:
        for fault in rank.faults:
            judge.fault(fault)
    judge.everything(directory)
    if late is not None:
        judge.straggler(directory, late)
    print(f"{judge.compared} sums compared, off by up to {judge.most_off:.1f} ns; {judge.faults} differ")
    return 1 if judge.faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
