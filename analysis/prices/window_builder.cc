// SPDX-License-Identifier: Apache-2.0
// Operations with what each stood behind, and the points at which threads submitted or waited.
#include "analysis/prices/window_builder.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "analysis/prices/replay_clocks.h"

namespace syncline {
namespace {

constexpr uint64_t kClockNs = 20'000;   // clocks of host and device are not further apart
constexpr ptrdiff_t kMostInGap = 4096;  // points that are looked at
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

uint64_t LengthOf(const Gap& gap) { return gap.end_ns - gap.begin_ns; }

// Half of the values lie below. 0: there are none.
int64_t Median(std::vector<int64_t>* values) {
  if (values->empty()) return 0;
  const auto middle = values->begin() + static_cast<ptrdiff_t>(values->size() / 2);
  std::nth_element(values->begin(), middle, values->end());
  return *middle;
}

}  // namespace

WindowBuilder::WindowBuilder(const GpuRecords& records,
                             const std::vector<std::string>& communications, const WaitRules& rules,
                             const std::vector<Wait>& waits,
                             const std::vector<HostFunction>& functions, ReplayGraph* graph)
    : records_(records), rules_(rules), waits_(waits), functions_(functions), graph_(graph) {
  NumberCommunications(communications);
  for (const GpuStreamFacts& facts : records.streams)
    kinds_[Key(facts.context, facts.stream)] = facts.kind;
}

void WindowBuilder::Build(const Span& span, const std::vector<Gap>& gaps) {
  window_ = {};
  streams_.clear();
  contexts_.clear();
  events_.clear();
  waits_of_.clear();
  starts_.clear();
  places_.clear();
  devices_.clear();
  functions_in_window_.clear();
  first_ = span.first_op - std::min(span.first_op, kOpsBefore);
  end_ = span.end_op;
  AddOps(span);
  AddWaits(span);
  AddCalls(span);
  std::stable_sort(window_.points.begin(), window_.points.end(),
                   [](const ReplayPoint& a, const ReplayPoint& b) {
                     return std::tuple(a.begin_ns, a.kind) < std::tuple(b.begin_ns, b.kind);
                   });
  CountCalls(span);
  FindCopiesOfWaits();
  FindGaps(gaps);
  SetLatencies();
  window_.clocks = AssignClocks(&window_.points);
  window_.contexts = static_cast<uint32_t>(contexts_.size());
  if (window_.points.empty()) return;
  uint64_t end_ns = 0;
  for (const ReplayPoint& point : window_.points) end_ns = std::max(end_ns, point.end_ns);
  for (const ReplayOp& op : window_.ops) end_ns = std::max(end_ns, op.end_ns);
  const uint64_t begin_ns = window_.points.front().begin_ns;
  graph_->replayed_ns += end_ns - begin_ns - CoveredBy(records_.unseen, begin_ns, end_ns);
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

// What the window begins with may still run in it.
void WindowBuilder::AddOps(const Span& span) {
  const auto by_correlation = [](const auto& row, uint32_t wanted) {
    return row.correlation < wanted;
  };
  const auto head = [](const auto& rows, auto next) {
    return next == rows.end() ? UINT64_MAX : uint64_t{next->correlation};
  };
  const uint32_t first = first_ < end_ ? records_.ops[first_].correlation : span.first;
  auto sync = std::lower_bound(records_.syncs.begin(), records_.syncs.end(), first, by_correlation);
  auto event =
      std::lower_bound(records_.events.begin(), records_.events.end(), first, by_correlation);
  auto function = std::lower_bound(functions_.begin(), functions_.end(), first, by_correlation);
  for (uint32_t op = first_;;) {
    const uint64_t of_op = op < end_ ? uint64_t{records_.ops[op].correlation} : span.end;
    const uint64_t of_event = head(records_.events, event), of_sync = head(records_.syncs, sync);
    const uint64_t of_function = head(functions_, function);
    if (of_function < std::min({of_op, of_event, of_sync})) {
      AddFunction(static_cast<uint32_t>(function - functions_.begin()), of_function < span.first);
      ++function;
    } else if (of_event < of_op && of_event <= of_sync) {
      AddRecord(*event++);
    } else if (of_sync <= of_op && (of_sync < of_event || of_event >= of_op)) {
      if (sync->kind == GpuSyncKind::kStreamWaitEvent) AddStreamWait(*sync);
      ++sync;
    } else if (op < end_) {
      AddOp(op, op < span.first_op);
      ++op;
    } else {
      return;
    }
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
  ReplayOp op;
  op.begin_ns = from.begin_ns;
  op.end_ns = from.end_ns;
  op.correlation = from.correlation;
  op.copy = CopyKindOf(from);
  op.is_pinned = from.from == MemoryKind::kPinned || from.to == MemoryKind::kPinned;
  op.bytes = static_cast<uint32_t>(std::min<uint64_t>(from.bytes, UINT32_MAX));
  if (from.kernel < communications_.size()) op.communication = communications_[from.kernel];
  op.before = before;
  if (!window_.ops.empty() && window_.ops.back().correlation == from.correlation) {
    const uint32_t leader = window_.ops.back().leader;
    op.leader = leader == kNoIndex ? number - 1 : leader;
  }
  places_.push_back(number);
  devices_.push_back(from.device);
  Append(op, from.context, from.stream);
}

void WindowBuilder::AddFunction(uint32_t index, bool before) {
  const HostFunction& from = functions_[index];
  functions_in_window_[from.correlation] = static_cast<uint32_t>(window_.ops.size());
  ReplayOp op;
  op.begin_ns = from.begin_ns;
  op.end_ns = from.end_ns;
  op.correlation = from.correlation;
  op.function = index;
  op.before = before;
  devices_.push_back(kNoId);
  Append(op, from.context, from.stream);
}

// Behind what its stream stands behind.
void WindowBuilder::Append(ReplayOp op, uint32_t its_context, uint32_t its_stream) {
  const auto number = static_cast<uint32_t>(window_.ops.size());
  Stream& stream = StreamOf(its_context, its_stream);
  Context& context = ContextOf(its_context);
  op.stream = stream.number;
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

// An operation, or a function of the host.
uint32_t WindowBuilder::AwaitedBy(const Wait& wait) const {
  if (wait.op != kNoOp) return InWindow(wait.op);
  const auto function = functions_in_window_.find(wait.waited_for);
  return function == functions_in_window_.end() ? kNoIndex : function->second;
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
  point.op = AwaitedBy(wait);
  const bool ended = point.op != kNoIndex && window_.ops[point.op].end_ns <= wait.end_ns + kClockNs;
  if (!wait.lost && !wait.open && ended) {
    point.context = window_.streams[window_.ops[point.op].stream].context;
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
  uint32_t op = 0, latest = kNoIndex;  // in the window: the one that ends last so far
  const auto ops = static_cast<uint32_t>(window_.ops.size());
  const auto next = [&] {
    if (latest == kNoIndex || window_.ops[op].end_ns > window_.ops[latest].end_ns) latest = op;
    ++op;
  };
  for (; call != calls.end() && call->correlation < span.end; ++call) {
    if (call->inner || call->correlation == 0) continue;
    while (op < ops && window_.ops[op].correlation < call->correlation) next();
    if (IsAllocation(*call)) AddAllocation(*call, latest);
    const uint32_t first = op;
    while (op < ops && window_.ops[op].correlation == call->correlation) next();
    if (op != first) AddSubmission(*call, first, op - first);
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
void WindowBuilder::AddAllocation(const SourceCall& call, uint32_t latest) {
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
  } else {
    AwaitIdle(call, latest, &point);
  }
  graph_->allocations.push_back({call.begin_ns, call.end_ns, call.tid, call.name});
  window_.points.push_back(point);
}

// Where a wait before it goes, a call that always waits does so in its place. What ends later than
// the call begins was not waited for. Giving back what is no device's memory (null, a pool's) waits
// for nothing: no record of memory follows it, where others have one.
void WindowBuilder::AwaitIdle(const SourceCall& call, uint32_t latest, ReplayPoint* point) {
  const RoleRule& rule = rules_.roles[RuleIndex(call.role)];
  const bool of_devices =
      rule.waits_for == WaitsFor::kSomeDevice || rule.waits_for == WaitsFor::kAllDevices;
  if (!of_devices || rule.held != Held::kAsRule || latest == kNoIndex) return;
  const ReplayOp& op = window_.ops[latest];
  if (op.end_ns > call.begin_ns) return;
  if (rule.waits_for == WaitsFor::kSomeDevice && !records_.memory.empty()) {
    const auto memory = std::lower_bound(
        records_.memory.begin(), records_.memory.end(), call.correlation,
        [](const GpuMemoryEvent& event, uint32_t wanted) { return event.correlation < wanted; });
    if (memory == records_.memory.end() || memory->correlation != call.correlation) return;
    if (memory->device != devices_[latest]) return;
  }
  point->op = latest;
  point->context = window_.streams[op.stream].context;
  point->awaits = Awaits::kContext;
}

// Also those that are no point: each of them was recorded.
void WindowBuilder::CountCalls(const Span& span) {
  std::unordered_map<uint32_t, std::vector<uint64_t>> begins;  // by thread
  for (const SourceCall& call : records_.calls) {
    if (call.correlation >= span.end) break;
    if (call.correlation >= span.first && !call.inner && call.correlation != 0)
      begins[call.tid].push_back(call.begin_ns);
  }
  for (auto& [tid, of_thread] : begins) std::sort(of_thread.begin(), of_thread.end());
  std::unordered_map<uint32_t, size_t> counted;
  for (ReplayPoint& point : window_.points) {
    const std::vector<uint64_t>& of_thread = begins[point.tid];
    size_t& next = counted[point.tid];
    for (; next < of_thread.size() && of_thread[next] <= point.begin_ns; ++next) ++point.calls;
  }
}

// A copy for which its thread waits next is made for that wait. What a copy's call waits for before
// it copies lies between the two.
void WindowBuilder::FindCopiesOfWaits() {
  std::unordered_map<uint32_t, ReplayPoint*> last;  // submission of each thread
  for (ReplayPoint& point : window_.points) {
    ReplayPoint*& before = last[point.tid];
    if (before != nullptr && point.kind == PointKind::kWait && point.wait == before->sends_for)
      continue;
    const bool waits = point.kind == PointKind::kWait && before != nullptr && before->ops == 1 &&
                       (point.op == before->op || point.awaits == Awaits::kContext);
    const CopyKind copy = waits ? window_.ops[before->op].copy : CopyKind::kNone;
    if (copy == CopyKind::kToHost) before->reads_for = point.wait;
    if (copy == CopyKind::kToDevice)
      (before->sends_for == kNoIndex ? before->sends_for : before->sent_for) = point.wait;
    before = point.kind == PointKind::kSubmit ? &point : nullptr;
  }
}

// What ends a gap may be the last of several calls (questions whether an event is done, and then a
// launch): the host worked before the first of them, or wherever its thread did nothing else for
// the longest time. Where no such time is most of it, the host worked before all of them.
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
    const auto note = [&](uint32_t* of_point) {  // of several devices: the longest
      if (*of_point == kNoIndex || LengthOf(gap) > LengthOf(gaps[*of_point])) *of_point = i;
    };
    size_t most = window_.points.size();
    for (; point != end; ++point) {
      const auto at = static_cast<size_t>(point - window_.points.begin());
      if (point->tid != gap.tid) continue;
      if (gap.host_later_ns != 0) note(&point->gap);
      if (most == window_.points.size() || idle_ns[at] > idle_ns[most]) most = at;
    }
    if (most != window_.points.size()) note(&window_.points[most].gap);
  }
}

// An operation began late because its call did, or because of what it stood behind. Of these two
// it tells one; the other is what is usual, as far as that fits.
void WindowBuilder::SetLatencies() {
  std::vector<int64_t> latencies[kCopyKinds], gaps;  // by ReplayOp::copy
  for (size_t i = 0; i < window_.ops.size(); ++i) {
    const ReplayOp& op = window_.ops[i];
    const Start& start = starts_[i];
    if (op.before || op.leader != kNoIndex || !start.known || op.function != kNoIndex) continue;
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
    if (op.function != kNoIndex) continue;  // it begins at once
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

}  // namespace syncline
