// SPDX-License-Identifier: Apache-2.0
// Which parts of a process's life are windows, and what all of them tell.
#include "analysis/prices/replay_graph.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "analysis/prices/window_builder.h"

namespace syncline {
namespace {

constexpr uint32_t kLargeCopy = 1 << 18;  // bytes: what it costs to begin one matters little
constexpr size_t kLeastLargeCopies = 3;
constexpr size_t kCallsOfOp = 8;  // where nobody asks all the time whether one is done

// A process's windows. Each point comes of a call, so calls bound them.
std::vector<Span> SpansOf(const GpuRecords& records, size_t most) {
  const std::vector<GpuOp>& ops = records.ops;
  const std::vector<SourceCall>& calls = records.calls;
  constexpr uint64_t kEnd = uint64_t{1} << 32;
  if (ops.size() <= most && calls.size() <= kCallsOfOp * most)
    return {{0, static_cast<uint32_t>(ops.size()), 0, kEnd}};
  const auto first_of = [&](uint32_t correlation) {
    const auto at =
        std::lower_bound(ops.begin(), ops.end(), correlation,
                         [](const GpuOp& op, uint32_t wanted) { return op.correlation < wanted; });
    return static_cast<size_t>(at - ops.begin());
  };
  std::vector<Span> spans;
  const size_t share = most / ReplayGraph::kWindows;
  const size_t length = std::min(2 * share, calls.size());
  size_t next = 0;
  for (size_t i = 0; i < ReplayGraph::kWindows; ++i) {
    const size_t first = std::max(next, (calls.size() - length) * i / (ReplayGraph::kWindows - 1));
    if (first >= calls.size()) break;
    Span span;
    span.first = calls[first].correlation;
    const size_t first_op = first_of(span.first);
    const size_t last = std::min(first + length, calls.size());
    span.end = last < calls.size() ? calls[last].correlation : kEnd;
    if (first_op + share < ops.size())
      span.end = std::min<uint64_t>(span.end, uint64_t{ops[first_op + share].correlation} + 1);
    span.first_op = static_cast<uint32_t>(first_op);
    span.end_op = static_cast<uint32_t>(
        span.end == kEnd ? ops.size() : first_of(static_cast<uint32_t>(span.end)));
    // One call may have submitted more than fits.
    span.end_op = std::min(span.end_op, span.first_op + static_cast<uint32_t>(2 * share));
    next = static_cast<size_t>(std::lower_bound(calls.begin(), calls.end(), span.end,
                                                [](const SourceCall& call, uint64_t wanted) {
                                                  return call.correlation < wanted;
                                                }) -
                               calls.begin());
    spans.push_back(span);
  }
  return spans;
}

bool Is(const ReplayWindow& window, const ReplayPoint& point, Submitted kind) {
  const ReplayOp& op = window.ops[point.op];
  switch (kind) {
    case Submitted::kKernel:
      return op.copy == CopyKind::kNone && op.function == kNoIndex;
    case Submitted::kCopy:
      return op.copy != CopyKind::kNone;
    case Submitted::kIntoDefaultStream:
      return window.streams[op.stream].is_default;
    case Submitted::kCommunication:
      return op.communication != kNoIndex;
  }
  return false;
}

// Evenly from all windows.
void TakeSamples(ReplayGraph* graph) {
  for (size_t kind = 0; kind < kSubmittedKinds; ++kind) {
    std::vector<Submission> all;
    for (const ReplayWindow& window : graph->windows) {
      for (const ReplayPoint& point : window.points) {
        if (point.kind == PointKind::kSubmit && Is(window, point, static_cast<Submitted>(kind)))
          all.push_back({point.begin_ns, point.tid});
      }
    }
    const size_t step = all.size() / ReplayGraph::kMostSamples + 1;
    for (size_t i = 0; i < all.size(); i += step) graph->samples[kind].push_back(all[i]);
  }
}

// What pinned memory would be copied at, by copies of the same process.
void FindPinnedRates(ReplayGraph* graph) {
  struct Sum {
    double bytes = 0, ns = 0;
    size_t copies = 0;
  };
  Sum sums[kCopyKinds];
  for (const ReplayWindow& window : graph->windows) {
    for (const ReplayOp& op : window.ops) {
      if (!op.is_pinned || op.bytes < kLargeCopy || op.bytes == UINT32_MAX) continue;
      Sum& sum = sums[static_cast<size_t>(op.copy)];
      sum.bytes += op.bytes;
      sum.ns += static_cast<double>(op.end_ns - op.begin_ns);
      ++sum.copies;
    }
  }
  for (ReplayWindow& window : graph->windows) {
    for (size_t kind = 0; kind < kCopyKinds; ++kind) {
      if (sums[kind].copies >= kLeastLargeCopies && sums[kind].ns > 0)
        window.pinned_bytes_per_ns[kind] = sums[kind].bytes / sums[kind].ns;
    }
  }
}

// When it began, and how long it took.
std::pair<uint64_t, uint64_t> WholeNs(const GpuRecords& records, const std::vector<Wait>& waits) {
  uint64_t begin = UINT64_MAX, end = 0;
  for (const GpuOp& op : records.ops) {
    begin = std::min(begin, op.begin_ns);
    end = std::max(end, op.end_ns);
  }
  for (const Wait& wait : waits) {
    begin = std::min(begin, wait.begin_ns);
    end = std::max(end, wait.end_ns);
  }
  return {begin, end > begin ? end - begin : 0};
}

}  // namespace

uint64_t ReplayGraph::size() const {
  uint64_t bytes = allocations.size() * sizeof(Allocation);
  for (const ReplayWindow& window : windows) {
    bytes += window.points.size() * sizeof(ReplayPoint) + window.ops.size() * sizeof(ReplayOp) +
             window.awaited.size() * sizeof(uint32_t);
  }
  return bytes;
}

bool HostWorked(const Gap& gap) {
  const uint64_t host_ns = gap.parts_ns[static_cast<size_t>(GapCause::kHostBusy)] +
                           gap.parts_ns[static_cast<size_t>(GapCause::kHostWaited)];
  return gap.host_until_ns > gap.host_from_ns && host_ns * 2 >= gap.end_ns - gap.begin_ns;
}

ReplayGraph MakeReplayGraph(const GpuRecords& records,
                            const std::vector<std::string>& communications, const WaitRules& rules,
                            const std::vector<Wait>& waits, const std::vector<Gap>& gaps,
                            const std::vector<HostFunction>& functions, size_t most) {
  ReplayGraph graph;
  std::tie(graph.begin_ns, graph.whole_ns) = WholeNs(records, waits);
  graph.seen_ns =
      graph.whole_ns - CoveredBy(records.unseen, graph.begin_ns, graph.begin_ns + graph.whole_ns);
  WindowBuilder builder(records, communications, rules, waits, functions, &graph);
  const std::vector<Span> spans = SpansOf(records, most);
  for (const Span& span : spans) builder.Build(span, gaps);
  if (spans.size() == 1) graph.replayed_ns = graph.seen_ns;
  TakeSamples(&graph);
  FindPinnedRates(&graph);
  return graph;
}

}  // namespace syncline
