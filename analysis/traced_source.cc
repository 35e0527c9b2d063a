// SPDX-License-Identifier: Apache-2.0
// The trace has names where records have numbers, and nothing but times to tell which operation
// ended a gap.
#include "analysis/traced_source.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <set>

#include "analysis/collectives.h"
#include "analysis/correlation_order.h"
#include "analysis/idle.h"

namespace syncline {
namespace {

constexpr size_t kMostLabels = 1 << 16;
constexpr size_t kMostCallsBack = 64;
constexpr uint64_t kRowNs = 64;  // readers of a trace may see an end so much elsewhere

template <typename Enum, typename NameOf>
bool ByName(std::string_view name, size_t count, const NameOf& name_of, Enum* out) {
  for (size_t value = 0; value < count; ++value) {
    if (name != name_of(static_cast<Enum>(value))) continue;
    *out = static_cast<Enum>(value);
    return true;
  }
  return false;
}

bool IsCopy(const GpuOp& op) {
  return op.type == DeviceOpType::kCopy || op.type == DeviceOpType::kPeerCopy;
}

}  // namespace

void TracedSource::AddCall(const TracedEvent& event) {
  pid = event.pid;
  GpuCall call;
  call.begin_ns = event.begin_ns;
  call.end_ns = event.end_ns;
  call.correlation = CorrelationOf(*event.correlation);
  call.tid = event.tid;
  call.name = records.CallName(event.name);
  call.result = static_cast<uint16_t>(std::min<uint64_t>(event.error, UINT16_MAX));
  call.open = event.unfinished;
  if (facts.role_of != nullptr) call.role = facts.role_of(event.name);
  records.calls.push_back(call);
  if (event.where.empty()) return;
  const auto [number, added] =
      where_numbers_.try_emplace(event.where, static_cast<uint32_t>(where_.size()));
  if (added) where_.push_back(event.where);
  places_[event.tid].push_back({call.begin_ns, call.end_ns, number->second});
}

void TracedSource::AddOp(const TracedEvent& event) {
  GpuOp op;
  op.begin_ns = event.begin_ns;
  op.end_ns = event.end_ns;
  op.bytes = event.bytes;
  op.correlation = CorrelationOf(*event.correlation);
  op.context = event.context;
  op.stream = event.stream;
  op.device = static_cast<uint16_t>(event.device);
  op.type = event.op;
  op.from = event.from;
  op.to = event.to;
  OpLabel label{"", event.op, event.from, event.to, event.graph};
  if (event.op == DeviceOpType::kKernel) label = {event.name};
  const auto known = numbers_.find(label);
  if (known != numbers_.end()) {
    op.kernel = known->second;
  } else if (labels.size() < kMostLabels) {
    op.kernel = numbers_[label] = static_cast<uint32_t>(labels.size());
    labels.push_back(std::move(label));
  }
  records.ops.push_back(op);
  if (event.communicator.empty()) return;
  const uint64_t id = std::strtoull(event.communicator.c_str(), nullptr, 16);
  found.collectives.try_emplace(
      op.correlation, CollectiveFinding{id, event.waited_ns, event.sequence, event.last_rank});
  const std::optional<CollectiveKind> kind = CollectiveOfKernel(event.name);
  if (!kind) return;
  Collective& done = collectives.emplace_back();
  done.communicator = id;
  done.begin_ns = op.begin_ns;
  done.end_ns = op.end_ns;
  done.sequence = event.sequence;
  done.kind = *kind;
}

void TracedSource::AddStreamWait(const TracedEvent& event) {
  if (!event.event || event.recorded_by < kFirstTraceCorrelation) return;
  const auto number = static_cast<uint32_t>(*event.event);
  records.syncs.push_back({event.begin_ns, CorrelationOf(*event.correlation), event.context,
                           event.stream, number, GpuSyncKind::kStreamWaitEvent});
  records.events.push_back(
      {CorrelationOf(event.recorded_by), event.context, event.recorded_in, number});
}

void TracedSource::OrderCalls() {
  if (calls_in_time_.size() == records.calls.size()) return;
  SortByCorrelation(&records.calls);
  calls_in_time_.resize(records.calls.size());
  std::iota(calls_in_time_.begin(), calls_in_time_.end(), 0u);
  std::stable_sort(calls_in_time_.begin(), calls_in_time_.end(), [this](uint32_t a, uint32_t b) {
    const GpuCall& left = records.calls[a];
    const GpuCall& right = records.calls[b];
    return left.tid != right.tid ? left.tid < right.tid : left.begin_ns < right.begin_ns;
  });
}

// The last of that name that had begun; null: there is none near.
const GpuCall* TracedSource::CallAt(uint32_t tid, uint64_t at_ns, std::string_view name) {
  OrderCalls();
  const auto after =
      std::partition_point(calls_in_time_.begin(), calls_in_time_.end(), [&](uint32_t index) {
        const GpuCall& call = records.calls[index];
        return call.tid != tid ? call.tid < tid : call.begin_ns <= at_ns;
      });
  size_t back = 0;
  for (auto at = after; at != calls_in_time_.begin() && back < kMostCallsBack; ++back) {
    const GpuCall& call = records.calls[*--at];
    if (call.tid != tid) return nullptr;
    if (records.call_names()[call.name] == name) return &call;
  }
  return nullptr;
}

bool TracedSource::Called(const TracedEvent& wait) {
  const GpuCall* call = CallAt(wait.tid, wait.end_ns, wait.call);
  return call != nullptr && call->end_ns + kRowNs >= wait.begin_ns;
}

void TracedSource::AddWait(const TracedEvent& event) {
  Wait wait;
  if (!ByName(event.wait_class, kWaitClasses, WaitClassName, &wait.wait_class)) return;
  wait.begin_ns = event.begin_ns;
  wait.end_ns = event.end_ns;
  wait.gpu_idle_after_ns = event.idle_after_ns;
  wait.tid = event.tid;
  wait.count = event.count;
  wait.name = records.CallName(event.call);
  wait.already_done = event.already_done.value_or(false);
  wait.open = event.unfinished;
  wait.lost = !event.unfinished && !event.already_done.has_value();
  if (event.waited_for) wait.waited_for = CorrelationOf(*event.waited_for);
  // Until the operations are in order: whether it is one.
  wait.op = event.waited_for_op ? 0 : kNoOp;
  // A spin is known by its last query, any other wait by the call in which it lies.
  const bool spin = wait.wait_class == WaitClass::kQuerySpin;
  const GpuCall* call = CallAt(wait.tid, spin ? wait.end_ns : wait.begin_ns, event.call);
  if (call != nullptr) wait.correlation = call->correlation;
  found.waits.push_back(wait);
  found.wait_ranges.push_back(event.ranges);
  found.wait_where.push_back(event.where);
}

void TracedSource::AddGap(const TracedEvent& event) {
  ToldGap told{{}, static_cast<uint32_t>(found.gap_ranges.size()), event.call};
  if (!ByName(event.cause, kGapCauses, GapCauseName, &told.gap.cause)) return;
  told.gap.begin_ns = event.begin_ns;
  told.gap.end_ns = event.end_ns;
  told.gap.tid = event.thread;
  told.gap.device = event.device;
  gaps_.push_back(std::move(told));
  found.gap_ranges.push_back(event.ranges);
  found.gap_before.push_back(event.before);
  found.gap_next.push_back(event.next);
}

void TracedSource::GiveUp() {
  records.calls = {};
  records.ops = {};
  records.syncs = {};
  records.events = {};
  places_ = {};
}

// A stream whose work ran beside the default stream's does not wait for that one. The trace does
// not tell otherwise.
void TracedSource::FindStreamKinds() {
  const uint32_t default_queue = facts.waits == nullptr ? 0 : facts.waits->default_queue;
  if (default_queue == 0) return;
  std::unordered_map<uint32_t, uint64_t> default_until;  // by context
  uint32_t device = 0;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> until;
  std::set<std::pair<uint32_t, uint32_t>> alone;
  for (const uint32_t index : records.ops_by_device) {
    const GpuOp& op = records.ops[index];
    const std::pair stream{op.context, op.stream};
    if (op.device != device) until.clear();
    device = op.device;
    const uint64_t beside_ns = op.begin_ns + records.clock_error_ns;
    if (op.stream == default_queue) {
      for (auto other = until.begin(); other != until.end();) {
        const auto& [key, end_ns] = *other;
        if (key.first == op.context && end_ns > beside_ns) alone.insert(key);
        // What has ended by now runs beside no later operation.
        other =
            end_ns <= op.begin_ns || alone.contains(key) ? until.erase(other) : std::next(other);
      }
      default_until[op.context] = std::max(default_until[op.context], op.end_ns);
    } else {
      if (default_until[op.context] > beside_ns) alone.insert(stream);
      if (!alone.contains(stream)) until[stream] = std::max(until[stream], op.end_ns);
    }
  }
  for (const auto& [context, stream] : alone)
    records.streams.push_back({context, stream, StreamKind::kNonBlocking});
}

// Of the operations of the call that was waited for, the one that ends last.
void TracedSource::SettleWait(Wait* wait) {
  if (wait->op == kNoOp) return;
  wait->op = kNoOp;
  auto op =
      std::lower_bound(records.ops.begin(), records.ops.end(), wait->waited_for,
                       [](const GpuOp& row, uint32_t wanted) { return row.correlation < wanted; });
  for (; op != records.ops.end() && op->correlation == wait->waited_for; ++op) {
    if (wait->op == kNoOp || op->end_ns >= records.ops[wait->op].end_ns)
      wait->op = static_cast<uint32_t>(op - records.ops.begin());
  }
}

void TracedSource::SettleWaits() {
  std::vector<uint32_t> order(found.waits.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [this](uint32_t a, uint32_t b) {
    return found.waits[a].begin_ns < found.waits[b].begin_ns;
  });
  Findings in_order;
  for (const uint32_t place : order) {
    SettleWait(&found.waits[place]);
    in_order.waits.push_back(found.waits[place]);
    in_order.wait_ranges.push_back(std::move(found.wait_ranges[place]));
    in_order.wait_where.push_back(std::move(found.wait_where[place]));
  }
  found.waits = std::move(in_order.waits);
  found.wait_ranges = std::move(in_order.wait_ranges);
  found.wait_where = std::move(in_order.wait_where);
  found.call_names = records.call_names();
}

// The thread's longest wait of that name in the gap.
void TracedSource::Explain(ToldGap* told,
                           const std::map<uint32_t, std::vector<uint32_t>>& by_thread) {
  Gap* gap = &told->gap;
  const auto thread = by_thread.find(gap->tid);
  if (told->call.empty() || thread == by_thread.end()) return;
  const std::vector<uint32_t>& own = thread->second;
  const uint64_t until_ns = gap->submitted_ns == 0 ? gap->end_ns : gap->submitted_ns;
  auto at = std::partition_point(own.begin(), own.end(), [&](uint32_t wait) {
    return found.waits[wait].begin_ns <= until_ns;
  });
  uint64_t longest_ns = 0;
  while (at != own.begin() && found.waits[*--at].end_ns > gap->begin_ns) {
    const Wait& wait = found.waits[*at];
    const uint64_t ns = wait.end_ns - wait.begin_ns;
    if (found.call_names[wait.name] != told->call || ns < longest_ns) continue;
    longest_ns = ns;
    gap->wait = *at;
  }
}

void TracedSource::SettleGaps() {
  std::stable_sort(gaps_.begin(), gaps_.end(), [](const ToldGap& a, const ToldGap& b) {
    return a.gap.device != b.gap.device ? a.gap.device < b.gap.device
                                        : a.gap.begin_ns < b.gap.begin_ns;
  });
  std::map<uint32_t, std::vector<uint32_t>> by_thread;
  for (uint32_t i = 0; i < found.waits.size(); ++i) by_thread[found.waits[i].tid].push_back(i);
  const auto before = [this](uint32_t index, const Gap& gap) {
    const GpuOp& op = records.ops[index];
    return op.device != gap.device ? op.device < gap.device : op.begin_ns + kRowNs < gap.end_ns;
  };
  Findings in_order;
  for (ToldGap& told : gaps_) {
    auto op = std::lower_bound(records.ops_by_device.begin(), records.ops_by_device.end(), told.gap,
                               before);
    while (op != records.ops_by_device.end() && IsCopy(records.ops[*op])) ++op;
    if (told.gap.cause != GapCause::kNothingLeft && op != records.ops_by_device.end()) {
      const uint32_t correlation = records.ops[*op].correlation;
      const auto call = std::lower_bound(
          records.calls.begin(), records.calls.end(), correlation,
          [](const GpuCall& row, uint32_t wanted) { return row.correlation < wanted; });
      if (call != records.calls.end() && call->correlation == correlation &&
          call->tid == told.gap.tid)
        told.gap.submitted_ns = call->begin_ns;
    }
    Explain(&told, by_thread);
    in_order.gaps.push_back(told.gap);
    in_order.gap_ranges.push_back(std::move(found.gap_ranges[told.place]));
    in_order.gap_before.push_back(std::move(found.gap_before[told.place]));
    in_order.gap_next.push_back(std::move(found.gap_next[told.place]));
  }
  found.gaps = std::move(in_order.gaps);
  found.gap_ranges = std::move(in_order.gap_ranges);
  found.gap_before = std::move(in_order.gap_before);
  found.gap_next = std::move(in_order.gap_next);
}

void TracedSource::Settle() {
  OrderCalls();
  SortByCorrelation(&records.ops);
  SortByCorrelation(&records.syncs);
  SortByCorrelation(&records.events);
  OrderByDevice(&records);
  FindStreamKinds();
  SettleWaits();
  SettleGaps();
  for (auto& [tid, places] : places_) {
    std::sort(places.begin(), places.end(),
              [](const Place& a, const Place& b) { return a.end_ns < b.end_ns; });
  }
}

std::string TracedSource::WhereAt(uint32_t tid, uint64_t at_ns, bool before) const {
  const auto thread = places_.find(tid);
  if (thread == places_.end()) return {};
  const std::vector<Place>& places = thread->second;
  const auto at = std::partition_point(places.begin(), places.end(),
                                       [&](const Place& place) { return place.end_ns < at_ns; });
  if (before) return at == places.begin() ? std::string() : where_[(at - 1)->where];
  return at == places.end() || at->begin_ns > at_ns ? std::string() : where_[at->where];
}

}  // namespace syncline
