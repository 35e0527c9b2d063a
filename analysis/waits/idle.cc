// SPDX-License-Identifier: Apache-2.0
// Walks the operations of each device in the order in which they began.
#include "analysis/waits/idle.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <unordered_map>

#include "analysis/waits/call_finder.h"
#include "analysis/waits/stream_waits.h"
#include "base/gallop_search.h"

namespace syncline {
namespace {

template <typename Visit>
void EachDevice(const std::vector<GpuOp>& ops, const std::vector<uint32_t>& order, Visit&& visit) {
  for (size_t i = 0; i < order.size();) {
    size_t end = i;
    while (end < order.size() && ops[order[end]].device == ops[order[i]].device) ++end;
    visit(ops[order[i]].device, std::span(order).subspan(i, end - i));
    i = end;
  }
}

// Whoever loads code for a device has looked for that, and has often loaded a library before.
GapCause CauseBefore(const SourceCall& call) {
  return RoleOf(call.role) == CallRole::kLoad ? GapCause::kFirstUse : GapCause::kHostBusy;
}

class GapFinder {
 public:
  GapFinder(const GpuRecords& records, const WaitRules& rules, const std::vector<Wait>& waits,
            const std::vector<HostFunction>& functions, uint64_t threshold_ns)
      : records_(records),
        rules_(rules),
        waits_(waits),
        functions_(functions),
        threshold_ns_(threshold_ns),
        calls_(records.calls),
        awaited_(AwaitedOfOtherDevices(records, rules)) {
    for (uint32_t i = 0; i < waits.size(); ++i) threads_[waits[i].tid].waits.push_back(i);
    for (uint32_t i = 0; i < functions.size(); ++i) {
      if (functions[i].held != kNoOp) function_before_.emplace(functions[i].held, i);
    }
    SortCalls();
    known_until_ns_ = KnownUntil();
    unseen_ = records.unseen;
    for (const Wait& wait : waits) {
      if (wait.lost) unseen_.push_back({wait.begin_ns, wait.end_ns});
    }
    JoinCoverageGaps(&unseen_);
  }

  std::vector<Gap> Find() {
    EachDevice(records_.ops, records_.ops_by_device,
               [this](uint32_t device, std::span<const uint32_t> order) { Device(device, order); });
    return std::move(gaps_);
  }

 private:
  using Spans = std::vector<CoverageGap>;  // by begin, apart from each other
  // What is asked about it is asked nearly in order.
  struct Thread {
    std::vector<uint32_t> calls;  // the outermost ones, by begin
    std::vector<uint32_t> waits;  // by begin
    size_t near_call = 0;
    size_t near_wait = 0;
  };

  uint64_t KnownUntil() const;
  bool CopiesToDevice(const SourceCall& call) const;
  bool IsGap(uint64_t begin_ns, uint64_t end_ns) const;
  void SortCalls();
  void Device(uint32_t device, std::span<const uint32_t> order);
  void AddGap(uint32_t device, uint64_t begin_ns, const GpuOp& next, const Spans& copies);
  void AddPart(Gap* gap, GapCause cause, uint64_t begin_ns, uint64_t end_ns, const Spans& copies);
  void AddHostPart(Gap* gap, uint64_t begin_ns, const SourceCall& next, const Spans& copies);
  void TellWhatWasMade(Gap* gap, const SourceCall& call);
  void AddCallPart(Gap* gap, uint64_t begin_ns, const SourceCall& call, Thread* thread,
                   const Spans& copies);
  void Explain(Gap* gap, const GpuOp& next, const Spans& copies);
  void AddLatency(Gap* gap, uint64_t begin_ns, const GpuOp& next, const Spans& copies);
  void SpreadHost(Gap* gap) const;
  uint32_t FunctionOf(const Wait& wait) const;
  uint64_t AddFunctionPart(Gap* gap, GapCause otherwise, uint32_t function, uint64_t begin_ns,
                           uint64_t end_ns, const Spans& copies);

  const GpuRecords& records_;
  const WaitRules& rules_;
  const std::vector<Wait>& waits_;
  const std::vector<HostFunction>& functions_;
  const uint64_t threshold_ns_;
  CallFinder calls_;
  const std::unordered_map<uint32_t, uint32_t> awaited_;
  std::unordered_map<uint32_t, Thread> threads_;            // by tid
  std::unordered_map<uint32_t, uint32_t> function_before_;  // by operation that it held up
  uint64_t longest_wait_ns_ = 0, longest_function_ns_ = 0, longest_call_ns_ = 0;  // of the gap
  std::vector<CoverageGap> host_;  // of the gap at hand: between calls
  bool made_work_ = false;  // of the gap at hand: what came after the host's longest time is known
  Spans unseen_;            // when something may have run of which there is no record
  std::vector<Gap> gaps_;
  uint64_t known_until_ns_ = 0;
};

// What was submitted after the last operation with a record may have run until the end, or hang.
uint64_t GapFinder::KnownUntil() const {
  const uint32_t last = records_.ops.empty() ? 0 : records_.ops.back().correlation;
  auto call = std::upper_bound(
      records_.calls.begin(), records_.calls.end(), last,
      [](uint32_t correlation, const SourceCall& a) { return correlation < a.correlation; });
  for (; call != records_.calls.end(); ++call) {
    if (call->result == 0 && rules_.roles[RuleIndex(call->role)].leaves_work)
      return std::min(call->begin_ns, records_.end_ns);
  }
  return records_.end_ns;
}

bool GapFinder::IsGap(uint64_t begin_ns, uint64_t end_ns) const {
  return end_ns > begin_ns && end_ns - begin_ns >= threshold_ns_ &&
         !MeetsCoverageGap(unseen_, begin_ns, end_ns);
}

bool GapFinder::CopiesToDevice(const SourceCall& call) const {
  const auto op = std::lower_bound(
      records_.ops.begin(), records_.ops.end(), call.correlation,
      [](const GpuOp& a, uint32_t correlation) { return a.correlation < correlation; });
  return op != records_.ops.end() && op->correlation == call.correlation &&
         op->type == DeviceOpType::kCopy && op->from != MemoryKind::kDevice &&
         op->to == MemoryKind::kDevice;
}

void GapFinder::SortCalls() {
  const std::vector<SourceCall>& calls = records_.calls;
  for (uint32_t i = 0; i < calls.size(); ++i) {
    if (!calls[i].inner) threads_[calls[i].tid].calls.push_back(i);
  }
  const auto before = [&](uint32_t a, uint32_t b) { return calls[a].begin_ns < calls[b].begin_ns; };
  for (auto& [tid, thread] : threads_) {
    if (!std::is_sorted(thread.calls.begin(), thread.calls.end(), before))
      std::sort(thread.calls.begin(), thread.calls.end(), before);
  }
}

void GapFinder::Device(uint32_t device, std::span<const uint32_t> order) {
  bool computed = false;
  uint64_t busy_until = 0;
  Spans copies;                     // since it computed
  std::vector<const GpuOp*> began;  // each of them
  for (const uint32_t index : order) {
    const GpuOp& op = records_.ops[index];
    if (op.type == DeviceOpType::kCopy || op.type == DeviceOpType::kPeerCopy) {
      if (!copies.empty() && op.begin_ns <= copies.back().end_ns) {
        copies.back().end_ns = std::max(copies.back().end_ns, op.end_ns);
      } else {
        copies.push_back({op.begin_ns, op.end_ns});
        began.push_back(&op);
      }
      continue;
    }
    if (computed) AddGap(device, busy_until, op, copies);
    computed = true;
    busy_until = std::max(busy_until, op.end_ns);
    while (!copies.empty() && copies.back().end_ns <= busy_until) {
      copies.pop_back();
      began.pop_back();
    }
    if (copies.size() > 1) {  // they are apart: only the last one can reach beyond
      copies.erase(copies.begin(), copies.end() - 1);
      began.erase(began.begin(), began.end() - 1);
    }
  }
  if (!computed) return;
  // After the last kernel each copy ends a gap.
  for (size_t i = 0; i < copies.size(); ++i) {
    if (copies[i].begin_ns > busy_until) AddGap(device, busy_until, *began[i], {});
    busy_until = std::max(busy_until, copies[i].end_ns);
  }
  if (!IsGap(busy_until, known_until_ns_)) return;
  Gap& gap = gaps_.emplace_back(Gap{busy_until, known_until_ns_, device});
  gap.cause = GapCause::kNothingLeft;
  gap.parts_ns[static_cast<size_t>(gap.cause)] = gap.end_ns - gap.begin_ns;
}

void GapFinder::AddGap(uint32_t device, uint64_t begin_ns, const GpuOp& next, const Spans& copies) {
  if (!IsGap(begin_ns, next.begin_ns)) return;
  Gap gap{begin_ns, next.begin_ns, device};
  Explain(&gap, next, copies);
  gaps_.push_back(gap);
}

// While the device copies, it is not the host for which it computes nothing.
void GapFinder::AddPart(Gap* gap, GapCause cause, uint64_t begin_ns, uint64_t end_ns,
                        const Spans& copies) {
  begin_ns = std::max(begin_ns, gap->begin_ns);
  end_ns = std::min(end_ns, gap->end_ns);
  if (begin_ns >= end_ns) return;
  const uint64_t copied_ns = CoveredBy(copies, begin_ns, end_ns);
  gap->parts_ns[static_cast<size_t>(GapCause::kCopy)] += copied_ns;
  gap->parts_ns[static_cast<size_t>(cause)] += end_ns - begin_ns - copied_ns;
}

// From one call of the thread to the next.
void GapFinder::AddHostPart(Gap* gap, uint64_t begin_ns, const SourceCall& next,
                            const Spans& copies) {
  begin_ns = std::max(begin_ns, gap->begin_ns);
  if (begin_ns >= next.begin_ns) return;
  AddPart(gap, CauseBefore(next), begin_ns, next.begin_ns, copies);
  if (CauseBefore(next) == GapCause::kFirstUse) return;
  host_.push_back({begin_ns, next.begin_ns});
  if (next.begin_ns - begin_ns <= gap->host_until_ns - gap->host_from_ns) return;
  gap->host_from_ns = begin_ns;
  gap->host_until_ns = next.begin_ns;
  gap->made_data = false;
  made_work_ = false;
}

// The first work that the host gave to a device after its longest time: a call before that, such as
// an event with which an allocator keeps memory that was freed, is none.
void GapFinder::TellWhatWasMade(Gap* gap, const SourceCall& call) {
  if (made_work_ || !rules_.roles[RuleIndex(call.role)].leaves_work) return;
  made_work_ = true;
  gap->made_data = CopiesToDevice(call);
}

// What it waits is waiting; the rest is the host's own.
void GapFinder::AddCallPart(Gap* gap, uint64_t begin_ns, const SourceCall& call, Thread* thread,
                            const Spans& copies) {
  uint64_t until = begin_ns;
  const uint64_t end_ns = std::min(call.end_ns, gap->end_ns);
  const uint64_t& busy_ns = gap->parts_ns[static_cast<size_t>(GapCause::kHostBusy)];
  const uint64_t busy_before_ns = busy_ns;
  const std::vector<uint32_t>& own = thread->waits;
  thread->near_wait = PlaceNear(own.size(), thread->near_wait,
                                [&](size_t i) { return waits_[own[i]].end_ns <= call.begin_ns; });
  for (size_t i = thread->near_wait; i < own.size() && waits_[own[i]].begin_ns < end_ns; ++i) {
    const Wait& wait = waits_[own[i]];
    const uint64_t from = std::max({wait.begin_ns, until, gap->begin_ns});
    const uint64_t to = std::min(wait.end_ns, end_ns);
    if (from >= to) continue;
    AddPart(gap, CauseBefore(call), until, from, copies);
    const uint64_t waited_from =
        AddFunctionPart(gap, GapCause::kHostWaited, FunctionOf(wait), from, to, copies);
    AddPart(gap, GapCause::kHostWaited, waited_from, to, copies);
    until = to;
    if (to - from < longest_wait_ns_) continue;
    longest_wait_ns_ = to - from;
    gap->wait = own[i];
  }
  AddPart(gap, CauseBefore(call), until, end_ns, copies);
  if (busy_ns - busy_before_ns <= longest_call_ns_) return;
  longest_call_ns_ = busy_ns - busy_before_ns;
  gap->call_at_ns = call.begin_ns;
  gap->call_name = call.name;
}

// For which a thread waited: the function itself, or what that held up.
uint32_t GapFinder::FunctionOf(const Wait& wait) const {
  if (wait.op != kNoOp) {
    const auto before = function_before_.find(wait.op);
    return before == function_before_.end() ? kNoFunction : before->second;
  }
  const auto function = std::lower_bound(
      functions_.begin(), functions_.end(), wait.waited_for,
      [](const HostFunction& row, uint32_t wanted) { return row.correlation < wanted; });
  const bool found = function != functions_.end() && function->correlation == wait.waited_for;
  return found ? static_cast<uint32_t>(function - functions_.begin()) : kNoFunction;
}

// From when on the rest is left: the function's end, and before that what came before it is another
// cause's.
uint64_t GapFinder::AddFunctionPart(Gap* gap, GapCause otherwise, uint32_t function,
                                    uint64_t begin_ns, uint64_t end_ns, const Spans& copies) {
  if (function == kNoFunction) return begin_ns;
  const uint64_t from = std::max({begin_ns, functions_[function].begin_ns, gap->begin_ns});
  const uint64_t to = std::min({end_ns, functions_[function].end_ns, gap->end_ns});
  if (from >= to) return begin_ns;
  AddPart(gap, otherwise, begin_ns, from, copies);
  AddPart(gap, GapCause::kHostFunction, from, to, copies);
  if (to - from >= longest_function_ns_) {
    longest_function_ns_ = to - from;
    gap->function = function;
  }
  return to;
}

// From the submission on.
void GapFinder::AddLatency(Gap* gap, uint64_t begin_ns, const GpuOp& next, const Spans& copies) {
  const auto index = static_cast<uint32_t>(&next - records_.ops.data());
  const auto awaited = awaited_.find(index);
  if (awaited != awaited_.end()) {
    const uint64_t end_ns = std::min(records_.ops[awaited->second].end_ns, gap->end_ns);
    if (end_ns > std::max(begin_ns, gap->begin_ns)) {
      AddPart(gap, GapCause::kOtherDevice, begin_ns, end_ns, copies);
      gap->awaited = awaited->second;
      begin_ns = end_ns;
    }
  }
  const auto function = function_before_.find(index);
  if (function != function_before_.end())
    begin_ns = AddFunctionPart(gap, GapCause::kLaunchLatency, function->second, begin_ns,
                               gap->end_ns, copies);
  AddPart(gap, GapCause::kLaunchLatency, begin_ns, gap->end_ns, copies);
}

// No time between two calls is most of it: what a thread did at two moments apart tells whether it
// did one thing.
void GapFinder::SpreadHost(Gap* gap) const {
  uint64_t all_ns = 0, before_ns = 0;
  for (const CoverageGap& span : host_) all_ns += span.end_ns - span.begin_ns;
  if (all_ns == 0) return;
  for (const CoverageGap& span : host_) {
    const uint64_t until_ns = before_ns + span.end_ns - span.begin_ns;
    if (before_ns <= all_ns / 4 && until_ns > all_ns / 4) {
      gap->host_from_ns = span.begin_ns;
      gap->host_until_ns = span.end_ns;
    }
    if (before_ns <= all_ns * 3 / 4 && until_ns > all_ns * 3 / 4) gap->host_later_ns = span.end_ns;
    before_ns = until_ns;
  }
  gap->made_data = false;
}

// What the thread that submitted next did from the gap's begin on.
void GapFinder::Explain(Gap* gap, const GpuOp& next, const Spans& copies) {
  longest_wait_ns_ = longest_function_ns_ = longest_call_ns_ = 0;
  made_work_ = true;
  host_.clear();
  const SourceCall* call = calls_.Find(next.correlation);
  uint64_t until = gap->begin_ns;
  if (call != nullptr) {
    gap->tid = call->tid;
    gap->submitted_ns = call->begin_ns;
    Thread& thread = threads_[call->tid];
    const std::vector<uint32_t>& own = thread.calls;
    thread.near_call = PlaceNear(own.size(), thread.near_call, [&](size_t i) {
      return records_.calls[own[i]].end_ns <= gap->begin_ns;
    });
    for (size_t i = thread.near_call;
         i < own.size() && records_.calls[own[i]].begin_ns <= call->begin_ns; ++i) {
      const SourceCall& each = records_.calls[own[i]];
      if (each.begin_ns >= gap->end_ns) break;
      AddHostPart(gap, until, each, copies);
      TellWhatWasMade(gap, each);
      // The submitting call itself is a part of the latency, but for what it waits.
      if (each.correlation != call->correlation) {
        AddCallPart(gap, std::max(until, each.begin_ns), each, &thread, copies);
        until = std::max(until, each.end_ns);
      } else {
        until = std::max(until, each.begin_ns);
      }
    }
  }
  if (call != nullptr) {
    AddLatency(gap, until, next, copies);
  } else {  // nobody knows that it came early
    AddPart(gap, GapCause::kHostBusy, until, gap->end_ns, copies);
  }
  if ((gap->host_until_ns - gap->host_from_ns) * 2 <
      gap->parts_ns[static_cast<size_t>(GapCause::kHostBusy)])
    SpreadHost(gap);
  if (longest_call_ns_ * 2 <= gap->parts_ns[static_cast<size_t>(GapCause::kHostBusy)])
    gap->call_at_ns = gap->call_name = 0;
  const auto most = std::max_element(std::begin(gap->parts_ns), std::end(gap->parts_ns));
  gap->cause = static_cast<GapCause>(most - std::begin(gap->parts_ns));
}

}  // namespace

void OrderByDevice(GpuRecords* records) {
  const std::vector<GpuOp>& ops = records->ops;
  std::vector<uint32_t>& order = records->ops_by_device;
  order.resize(ops.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto before = [&](uint32_t a, uint32_t b) {
    return ops[a].device != ops[b].device ? ops[a].device < ops[b].device
                                          : ops[a].begin_ns < ops[b].begin_ns;
  };
  if (!std::is_sorted(order.begin(), order.end(), before))
    std::sort(order.begin(), order.end(), before);
}

std::vector<Gap> FindGaps(const GpuRecords& records, const WaitRules& rules,
                          const std::vector<Wait>& waits,
                          const std::vector<HostFunction>& functions, uint64_t threshold_ns) {
  return GapFinder(records, rules, waits, functions, threshold_ns).Find();
}

void MeasureIdleAfter(const GpuRecords& records, std::vector<Wait>* waits) {
  std::vector<uint32_t> ends(waits->size());
  std::iota(ends.begin(), ends.end(), 0u);
  std::sort(ends.begin(), ends.end(), [&](uint32_t a, uint32_t b) {
    const Wait& left = (*waits)[a];
    const Wait& right = (*waits)[b];
    return left.device != right.device ? left.device < right.device : left.end_ns < right.end_ns;
  });
  size_t next_wait = 0;
  const auto measure = [&](uint32_t device, std::span<const uint32_t> order) {
    while (next_wait < ends.size() && (*waits)[ends[next_wait]].device < device) ++next_wait;
    size_t begun = 0;
    uint64_t busy_until = 0;
    for (; next_wait < ends.size() && (*waits)[ends[next_wait]].device == device; ++next_wait) {
      Wait& wait = (*waits)[ends[next_wait]];
      for (; begun < order.size() && records.ops[order[begun]].begin_ns <= wait.end_ns; ++begun) {
        busy_until = std::max(busy_until, records.ops[order[begun]].end_ns);
      }
      if (busy_until > wait.end_ns) {
        wait.gpu_idle_after_ns = 0;
      } else if (begun < order.size()) {
        const uint64_t next_ns = records.ops[order[begun]].begin_ns;
        if (MeetsCoverageGap(records.unseen, busy_until, next_ns)) continue;
        wait.gpu_idle_after_ns = next_ns - wait.end_ns;
      }
    }
  };
  EachDevice(records.ops, records.ops_by_device, measure);
}

}  // namespace syncline
