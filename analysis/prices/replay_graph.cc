// SPDX-License-Identifier: Apache-2.0
// From records to windows, in the order of submission.
#include "analysis/prices/replay_graph.h"

#include <algorithm>
#include <limits>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analysis/prices/replay_clocks.h"

namespace syncline {
namespace {

constexpr uint32_t kLargeCopy = 1 << 18;  // bytes: what it costs to begin one matters little
constexpr size_t kLeastLargeCopies = 3;
constexpr uint64_t kClockNs = 20'000;   // clocks of host and device are not further apart
constexpr ptrdiff_t kMostInGap = 4096;  // points that are looked at
constexpr size_t kCallsOfOp = 8;        // where nobody asks all the time whether one is done
constexpr uint32_t kOpsBefore = 4096;   // of the time before a window that may still run in it

uint64_t Key(uint32_t context, uint32_t id) { return uint64_t{context} << 32 | id; }

bool IsOfHost(MemoryKind kind) {
  return kind == MemoryKind::kPageable || kind == MemoryKind::kPinned;
}

CopyKind CopyKindOf(const GpuOp& op) {
  if (op.type != DeviceOpType::kCopy) return CopyKind::kNone;
  if (IsOfHost(op.to)) return CopyKind::kToHost;
  return IsOfHost(op.from) ? CopyKind::kToDevice : CopyKind::kNone;
}

// Does such an allocation belong into a loop? Those in stream order cost next to nothing.
bool IsAllocation(const SourceCall& call) {
  switch (RoleOf(call.role)) {
    case CallRole::kAllocate:
    case CallRole::kAllocateHost:
    case CallRole::kFree:
    case CallRole::kFreeHost:
      return (call.role & kCallIsAsync) == 0 && call.result == 0;
    default:
      return false;
  }
}

// A window's part of what is sorted by correlation.
struct Span {
  uint32_t first_op = 0, end_op = 0;
  uint32_t first = 0;  // correlation
  uint64_t end = 0;    // the one after the last
};

class WindowBuilder {
 public:
  WindowBuilder(const GpuRecords& records, const std::vector<std::string>& communications,
                const WaitRules& rules, const std::vector<Wait>& waits, ReplayGraph* graph)
      : records_(records), rules_(rules), waits_(waits), graph_(graph) {
    NumberCommunications(communications);
    for (const GpuStreamFacts& facts : records.streams)
      kinds_[Key(facts.context, facts.stream)] = facts.kind;
  }

  void Build(const Span& span, const std::vector<Gap>& gaps);

 private:
  // As recorded: when the device was ready for an operation, and whether it had to wait for the
  // host.
  struct Start {
    uint64_t host_ns = 0;
    uint64_t ready_ns = 0;
    bool known = false;  // its call is
  };
  struct Stream {
    uint32_t number = 0;
    uint32_t last = kNoIndex;       // op that ends last
    std::vector<uint32_t> awaited;  // by its next operation
  };
  struct Context {
    uint32_t number = 0;
    uint64_t default_end_ns = 0, gathered_end_ns = 0;
  };

  void NumberCommunications(const std::vector<std::string>& words);
  void AddOps(const Span& span);
  void AddOp(uint32_t index, bool before);
  uint64_t ReadyFor(const ReplayOp& op, const Stream& stream, Context* context);
  void AddRecord(const GpuEventRecord& record);
  void AddStreamWait(const GpuSync& sync);
  Stream& StreamOf(uint32_t context, uint32_t stream);
  Context& ContextOf(uint32_t context);
  void AddCalls(const Span& span);
  void AddSubmission(const SourceCall& call, uint32_t op, uint32_t ops);
  void AddAllocation(const SourceCall& call);
  void AddWaits(const Span& span);
  void AddWait(uint32_t index);
  void FindCopiesOfWaits();
  void FindGaps(const std::vector<Gap>& gaps);
  void SetLatencies();
  uint32_t InWindow(uint32_t op) const {
    return op != kNoOp && op >= first_ && op < end_ ? op - first_ : kNoIndex;
  }

  const GpuRecords& records_;
  const WaitRules& rules_;
  const std::vector<Wait>& waits_;
  ReplayGraph* const graph_;
  std::unordered_map<uint64_t, StreamKind> kinds_;
  std::vector<uint32_t> communications_;  // by GpuOp::kernel; in the graph's

  // Of the window at hand.
  ReplayWindow window_;
  uint32_t first_ = 0, end_ = 0;  // in GpuRecords::ops
  std::unordered_map<uint64_t, Stream> streams_;
  std::unordered_map<uint32_t, Context> contexts_;
  std::unordered_map<uint64_t, uint32_t> events_;
  std::unordered_map<uint32_t, uint32_t> waits_of_;  // by correlation, before its own submission
  std::vector<Start> starts_;                        // by op
};

void WindowBuilder::Build(const Span& span, const std::vector<Gap>& gaps) {
  window_ = {};
  streams_.clear();
  contexts_.clear();
  events_.clear();
  waits_of_.clear();
  starts_.clear();
  first_ = span.first_op - std::min(span.first_op, kOpsBefore);
  end_ = span.end_op;
  AddOps(span);
  AddWaits(span);
  AddCalls(span);
  std::stable_sort(window_.points.begin(), window_.points.end(),
                   [](const ReplayPoint& a, const ReplayPoint& b) {
                     return std::tuple(a.begin_ns, a.kind) < std::tuple(b.begin_ns, b.kind);
                   });
  FindCopiesOfWaits();
  FindGaps(gaps);
  SetLatencies();
  window_.clocks = AssignClocks(&window_.points);
  window_.contexts = static_cast<uint32_t>(contexts_.size());
  if (window_.points.empty()) return;
  uint64_t end_ns = 0;
  for (const ReplayPoint& point : window_.points) end_ns = std::max(end_ns, point.end_ns);
  for (const ReplayOp& op : window_.ops) end_ns = std::max(end_ns, op.end_ns);
  graph_->replayed_ns += end_ns - window_.points.front().begin_ns;
  graph_->windows.push_back(std::move(window_));
}

void WindowBuilder::NumberCommunications(const std::vector<std::string>& words) {
  std::vector<std::string>& names = graph_->communications;
  for (const std::string& word : words) {
    auto at = std::find(names.begin(), names.end(), word);
    if (at == names.end() && !word.empty()) at = names.insert(at, word);
    communications_.push_back(word.empty() ? kNoIndex : static_cast<uint32_t>(at - names.begin()));
  }
}

WindowBuilder::Context& WindowBuilder::ContextOf(uint32_t context) {
  const auto number = static_cast<uint32_t>(contexts_.size());
  const auto [at, added] = contexts_.try_emplace(context);
  if (added) at->second.number = number;
  return at->second;
}

WindowBuilder::Stream& WindowBuilder::StreamOf(uint32_t context, uint32_t stream) {
  const auto [at, added] = streams_.try_emplace(Key(context, stream));
  if (!added) return at->second;
  at->second.number = static_cast<uint32_t>(window_.streams.size());
  const auto kind = kinds_.find(Key(context, stream));
  const bool is_default = kind == kinds_.end()
                              ? rules_.default_queue != 0 && stream == rules_.default_queue
                              : kind->second == StreamKind::kLegacy;
  const bool alone = kind != kinds_.end() && kind->second == StreamKind::kNonBlocking;
  window_.streams.push_back({ContextOf(context).number, is_default, !alone && !is_default});
  return at->second;
}

void WindowBuilder::AddOps(const Span& span) {
  const auto by_correlation = [](const auto& row, uint32_t wanted) {
    return row.correlation < wanted;
  };
  const uint32_t first = first_ < end_ ? records_.ops[first_].correlation : span.first;
  auto sync = std::lower_bound(records_.syncs.begin(), records_.syncs.end(), first, by_correlation);
  auto event =
      std::lower_bound(records_.events.begin(), records_.events.end(), first, by_correlation);
  for (uint32_t op = first_; op < end_; ++op) {
    const uint32_t correlation = records_.ops[op].correlation;
    for (;;) {
      const bool has_sync = sync != records_.syncs.end() && sync->correlation <= correlation;
      const bool has_event = event != records_.events.end() && event->correlation < correlation;
      if (!has_sync && !has_event) break;
      if (has_event && (!has_sync || event->correlation <= sync->correlation)) {
        AddRecord(*event++);
      } else {
        if (sync->kind == GpuSyncKind::kStreamWaitEvent) AddStreamWait(*sync);
        ++sync;
      }
    }
    AddOp(op, op < span.first_op);
  }
}

void WindowBuilder::AddRecord(const GpuEventRecord& record) {
  const auto stream = streams_.find(Key(record.context, record.stream));
  events_[Key(record.context, record.event)] =
      stream == streams_.end() ? kNoIndex : stream->second.last;
}

void WindowBuilder::AddStreamWait(const GpuSync& sync) {
  const auto event = events_.find(Key(sync.context, sync.event));
  if (event == events_.end() || event->second == kNoIndex) return;
  StreamOf(sync.context, sync.stream).awaited.push_back(event->second);
}

// As recorded.
uint64_t WindowBuilder::ReadyFor(const ReplayOp& op, const Stream& stream, Context* context) {
  uint64_t ready = stream.last == kNoIndex ? 0 : window_.ops[stream.last].end_ns;
  for (uint32_t i = 0; i < op.awaited; ++i)
    ready = std::max(ready, window_.ops[window_.awaited[op.first_awaited + i]].end_ns);
  const ReplayStream& facts = window_.streams[op.stream];
  const uint64_t others = facts.is_default ? context->gathered_end_ns
                          : facts.gathered ? context->default_end_ns
                                           : 0;
  if (others > ready) graph_->has_default_stream = true;
  return std::max(ready, others);
}

void WindowBuilder::AddOp(uint32_t index, bool before) {
  const GpuOp& from = records_.ops[index];
  const auto number = static_cast<uint32_t>(window_.ops.size());
  Stream& stream = StreamOf(from.context, from.stream);
  Context& context = ContextOf(from.context);
  ReplayOp op;
  op.begin_ns = from.begin_ns;
  op.end_ns = from.end_ns;
  op.correlation = from.correlation;
  op.stream = stream.number;
  op.copy = CopyKindOf(from);
  op.is_pinned = from.from == MemoryKind::kPinned || from.to == MemoryKind::kPinned;
  op.bytes = static_cast<uint32_t>(std::min<uint64_t>(from.bytes, UINT32_MAX));
  if (from.kernel < communications_.size()) op.communication = communications_[from.kernel];
  op.before = before;
  if (!window_.ops.empty() && window_.ops.back().correlation == from.correlation) {
    const uint32_t leader = window_.ops.back().leader;
    op.leader = leader == kNoIndex ? number - 1 : leader;
  }
  op.first_awaited = static_cast<uint32_t>(window_.awaited.size());
  op.awaited = static_cast<uint32_t>(stream.awaited.size());
  window_.awaited.insert(window_.awaited.end(), stream.awaited.begin(), stream.awaited.end());
  stream.awaited.clear();
  starts_.push_back({0, ReadyFor(op, stream, &context), false});
  window_.ops.push_back(op);
  if (stream.last == kNoIndex || window_.ops[stream.last].end_ns <= op.end_ns) stream.last = number;
  const ReplayStream& facts = window_.streams[op.stream];
  uint64_t* const end = facts.is_default ? &context.default_end_ns : &context.gathered_end_ns;
  if (facts.is_default || facts.gathered) *end = std::max(*end, op.end_ns);
}

void WindowBuilder::AddWaits(const Span& span) {
  for (uint32_t i = 0; i < waits_.size(); ++i) {
    if (waits_[i].correlation >= span.first && waits_[i].correlation < span.end) AddWait(i);
  }
}

void WindowBuilder::AddWait(uint32_t index) {
  const Wait& wait = waits_[index];
  const bool before_own = wait.waited_for != wait.correlation;
  if (before_own) waits_of_[wait.correlation] = index;
  if (wait.wait_class == WaitClass::kAllocation) return;  // it is part of its call's point
  ReplayPoint point;
  point.kind = PointKind::kWait;
  point.begin_ns = wait.begin_ns;
  point.end_ns = wait.end_ns;
  point.tid = wait.tid;
  point.wait = index;
  point.op = InWindow(wait.op);
  const bool ended = point.op != kNoIndex && records_.ops[wait.op].end_ns <= wait.end_ns + kClockNs;
  if (!wait.lost && !wait.open && ended) {
    const GpuOp& op = records_.ops[wait.op];
    point.context = ContextOf(op.context).number;
    point.awaits = wait.wait_class == WaitClass::kDevice         ? Awaits::kContext
                   : wait.wait_class == WaitClass::kLegacyStream ? Awaits::kGathered
                                                                 : Awaits::kOp;
  }
  window_.points.push_back(point);
}

void WindowBuilder::AddCalls(const Span& span) {
  const std::vector<SourceCall>& calls = records_.calls;
  auto call = std::lower_bound(
      calls.begin(), calls.end(), span.first,
      [](const SourceCall& row, uint32_t wanted) { return row.correlation < wanted; });
  uint32_t op = span.first_op;
  for (; call != calls.end() && call->correlation < span.end; ++call) {
    if (call->inner || call->correlation == 0) continue;
    if (IsAllocation(*call)) AddAllocation(*call);
    while (op < end_ && records_.ops[op].correlation < call->correlation) ++op;
    const uint32_t first = op;
    while (op < end_ && records_.ops[op].correlation == call->correlation) ++op;
    if (op != first) AddSubmission(*call, first - first_, op - first);
  }
}

// What a call waited for before it submitted its own work comes first.
void WindowBuilder::AddSubmission(const SourceCall& call, uint32_t op, uint32_t ops) {
  ReplayPoint point;
  point.begin_ns = call.begin_ns;
  point.end_ns = call.end_ns;
  const auto waited = waits_of_.find(call.correlation);
  if (waited != waits_of_.end()) {
    const uint64_t until = waits_[waited->second].end_ns;
    if (until <= window_.ops[op].begin_ns)
      point.begin_ns = std::clamp(until, call.begin_ns, call.end_ns);
    point.staged_ns = call.end_ns - std::clamp(until, call.begin_ns, call.end_ns);
  }
  point.tid = call.tid;
  point.op = op;
  point.ops = ops;
  if (waited != waits_of_.end() && window_.ops[op].copy == CopyKind::kToDevice &&
      waits_[waited->second].wait_class == WaitClass::kPageableCopy)
    point.sends_for = waited->second;
  starts_[op].host_ns = point.begin_ns;
  starts_[op].known = true;
  window_.points.push_back(point);
}

// What comes before all work is not in a loop; the first one makes the context.
void WindowBuilder::AddAllocation(const SourceCall& call) {
  if (records_.ops.empty() || call.end_ns <= records_.ops.front().begin_ns) return;
  ReplayPoint point;
  point.kind = PointKind::kAllocation;
  point.begin_ns = call.begin_ns;
  point.end_ns = call.end_ns;
  point.tid = call.tid;
  point.allocation = static_cast<uint32_t>(graph_->allocations.size());
  const auto waited = waits_of_.find(call.correlation);
  if (waited != waits_of_.end()) {
    const Wait& wait = waits_[waited->second];
    point.wait = waited->second;
    point.op = InWindow(wait.op);
    if (point.op != kNoIndex && !wait.lost && !wait.open &&
        records_.ops[wait.op].end_ns <= wait.end_ns + kClockNs) {
      point.context = ContextOf(records_.ops[wait.op].context).number;
      point.awaits = Awaits::kContext;
    }
  }
  graph_->allocations.push_back({call.begin_ns, call.end_ns, call.tid, call.name});
  window_.points.push_back(point);
}

// A copy for which its thread waits next is made for that wait.
void WindowBuilder::FindCopiesOfWaits() {
  std::unordered_map<uint32_t, ReplayPoint*> last;  // submission of each thread
  for (ReplayPoint& point : window_.points) {
    ReplayPoint*& before = last[point.tid];
    const bool waits = point.kind == PointKind::kWait && before != nullptr && before->ops == 1 &&
                       (point.op == before->op || point.awaits == Awaits::kContext);
    const CopyKind copy = waits ? window_.ops[before->op].copy : CopyKind::kNone;
    if (copy == CopyKind::kToHost) before->reads_for = point.wait;
    if (copy == CopyKind::kToDevice) before->sends_for = point.wait;
    before = point.kind == PointKind::kSubmit ? &point : nullptr;
  }
}

uint64_t LengthOf(const Gap& gap) { return gap.end_ns - gap.begin_ns; }

// What ends a gap may be the last of several calls (questions whether an event is done, and then a
// launch): the host worked before the first of them, or wherever its thread did nothing else for
// the longest time.
void WindowBuilder::FindGaps(const std::vector<Gap>& gaps) {
  std::vector<uint64_t> idle_ns(window_.points.size());  // of the thread, before each point
  std::unordered_map<uint32_t, uint64_t> last;           // end, by thread
  for (size_t i = 0; i < window_.points.size(); ++i) {
    const ReplayPoint& point = window_.points[i];
    uint64_t& end = last.try_emplace(point.tid, point.begin_ns).first->second;
    if (point.begin_ns > end) idle_ns[i] = point.begin_ns - end;
    end = std::max(end, point.end_ns);
  }
  for (uint32_t i = 0; i < gaps.size(); ++i) {
    const Gap& gap = gaps[i];
    if (!HostWorked(gap)) continue;
    const auto before = [](const ReplayPoint& a, uint64_t wanted) { return a.begin_ns < wanted; };
    const auto begin = window_.points.begin(), points_end = window_.points.end();
    const auto end = std::lower_bound(begin, points_end, gap.submitted_ns + 1, before);
    auto point = std::lower_bound(begin, end, gap.begin_ns, before);
    point += std::max<ptrdiff_t>(0, end - point - kMostInGap);
    size_t most = window_.points.size();
    for (; point != end; ++point) {
      const auto at = static_cast<size_t>(point - window_.points.begin());
      if (point->tid != gap.tid) continue;
      if (most == window_.points.size() || idle_ns[at] > idle_ns[most]) most = at;
    }
    if (most == window_.points.size()) continue;
    uint32_t& of_point = window_.points[most].gap;  // of several devices: the longest
    if (of_point == kNoIndex || LengthOf(gap) > LengthOf(gaps[of_point])) of_point = i;
  }
}

// Half of the values lie below. 0: there are none.
int64_t Median(std::vector<int64_t>* values) {
  if (values->empty()) return 0;
  const auto middle = values->begin() + static_cast<ptrdiff_t>(values->size() / 2);
  std::nth_element(values->begin(), middle, values->end());
  return *middle;
}

// An operation began late because its call did, or because of what it stood behind. Of these two
// it tells one; the other is what is usual, as far as that fits.
void WindowBuilder::SetLatencies() {
  std::vector<int64_t> latencies[kCopyKinds], gaps;  // by ReplayOp::copy
  for (size_t i = 0; i < window_.ops.size(); ++i) {
    const ReplayOp& op = window_.ops[i];
    const Start& start = starts_[i];
    if (op.before || op.leader != kNoIndex || !start.known) continue;
    if (start.ready_ns <= start.host_ns) {
      latencies[static_cast<size_t>(op.copy)].push_back(
          static_cast<int64_t>(op.begin_ns - start.host_ns));
    } else {
      gaps.push_back(static_cast<int64_t>(op.begin_ns - start.ready_ns));
    }
  }
  int64_t usual[kCopyKinds];
  for (size_t kind = 0; kind < kCopyKinds; ++kind) usual[kind] = Median(&latencies[kind]);
  const int64_t usual_gap = Median(&gaps);
  for (size_t i = 0; i < window_.ops.size(); ++i) {
    ReplayOp& op = window_.ops[i];
    const Start& start = starts_[i];
    const auto behind = start.ready_ns == 0 ? std::numeric_limits<int64_t>::max()
                                            : static_cast<int64_t>(op.begin_ns - start.ready_ns);
    if (!start.known) {
      op.gap_ns = start.ready_ns == 0 ? 0 : behind;
      continue;
    }
    const auto after = static_cast<int64_t>(op.begin_ns - start.host_ns);
    const int64_t latency = usual[static_cast<size_t>(op.copy)];
    const bool host_was_late =
        static_cast<int64_t>(start.host_ns) + latency >= static_cast<int64_t>(start.ready_ns);
    op.latency_ns = host_was_late ? after : std::min(latency, after);
    op.gap_ns = host_was_late ? std::min(usual_gap, behind) : behind;
  }
}

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
      return op.copy == CopyKind::kNone;
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
                            size_t most) {
  ReplayGraph graph;
  std::tie(graph.begin_ns, graph.whole_ns) = WholeNs(records, waits);
  WindowBuilder builder(records, communications, rules, waits, &graph);
  for (const Span& span : SpansOf(records, most)) builder.Build(span, gaps);
  TakeSamples(&graph);
  FindPinnedRates(&graph);
  return graph;
}

}  // namespace syncline
