// SPDX-License-Identifier: Apache-2.0
// Walks the operations of each device in the order in which they began.
#include "analysis/waits/idle.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <unordered_map>

#include "analysis/waits/call_finder.h"

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

class GapFinder {
 public:
  GapFinder(const GpuRecords& records, const WaitRules& rules, const std::vector<Wait>& waits,
            uint64_t threshold_ns)
      : records_(records),
        rules_(rules),
        waits_(waits),
        threshold_ns_(threshold_ns),
        calls_(records.calls) {
    for (uint32_t i = 0; i < waits.size(); ++i) by_thread_[waits[i].tid].push_back(i);
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
  uint64_t KnownUntil() const;
  bool IsGap(uint64_t begin_ns, uint64_t end_ns) const;
  void Device(uint32_t device, std::span<const uint32_t> order);
  void Explain(Gap* gap, const GpuOp& next, uint64_t copied_ns);

  const GpuRecords& records_;
  const WaitRules& rules_;
  const std::vector<Wait>& waits_;
  const uint64_t threshold_ns_;
  CallFinder calls_;
  std::unordered_map<uint32_t, std::vector<uint32_t>> by_thread_;  // waits, by begin
  std::vector<CoverageGap> unseen_;  // when something may have run of which there is no record
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

void GapFinder::Device(uint32_t device, std::span<const uint32_t> order) {
  bool computed = false;
  uint64_t busy_until = 0;
  uint64_t copies_until = 0;
  uint64_t copied_ns = 0;  // of the time after busy_until, up to copies_until
  for (const uint32_t index : order) {
    const GpuOp& op = records_.ops[index];
    if (op.type == DeviceOpType::kCopy || op.type == DeviceOpType::kPeerCopy) {
      const uint64_t from = std::max({op.begin_ns, copies_until, busy_until});
      if (op.end_ns > from) copied_ns += op.end_ns - from;
      copies_until = std::max(copies_until, op.end_ns);
      continue;
    }
    if (computed && IsGap(busy_until, op.begin_ns)) {
      // Copies began before this operation, so those that outlast its begin are one piece.
      const uint64_t beyond = copies_until > op.begin_ns ? copies_until - op.begin_ns : 0;
      Gap gap{busy_until, op.begin_ns, device};
      Explain(&gap, op, copied_ns - std::min(copied_ns, beyond));
      gaps_.push_back(gap);
    }
    computed = true;
    busy_until = std::max(busy_until, op.end_ns);
    copied_ns = copies_until > busy_until ? std::min(copied_ns, copies_until - busy_until) : 0;
  }
  const uint64_t last = std::max(busy_until, copies_until);
  if (computed && IsGap(last, known_until_ns_)) {
    gaps_.push_back({last, known_until_ns_, device, 0, kNoWait, GapCause::kNothingLeft});
  }
}

void GapFinder::Explain(Gap* gap, const GpuOp& next, uint64_t copied_ns) {
  const uint64_t length = gap->end_ns - gap->begin_ns;
  const SourceCall* call = calls_.Find(next.correlation);
  if (call != nullptr) {
    gap->tid = call->tid;
    gap->submitted_ns = call->begin_ns;
  }
  if (copied_ns * 2 >= length) {
    gap->cause = GapCause::kCopy;
    return;
  }
  if (call == nullptr) return;
  if (call->begin_ns <= gap->begin_ns + length / 2) gap->cause = GapCause::kLaunchLatency;
  const auto of_thread = by_thread_.find(call->tid);
  if (of_thread == by_thread_.end()) return;
  const std::vector<uint32_t>& own = of_thread->second;
  // Waits of one thread follow each other: from the last that began before the call backwards.
  auto wait = std::partition_point(own.begin(), own.end(), [&](uint32_t index) {
    return waits_[index].begin_ns <= call->begin_ns;
  });
  uint64_t waited_ns = 0;
  uint64_t longest_ns = 0;
  while (wait != own.begin() && waits_[*--wait].end_ns > gap->begin_ns) {
    const uint64_t own_ns = waits_[*wait].end_ns - waits_[*wait].begin_ns;
    waited_ns += own_ns;
    if (own_ns < longest_ns) continue;
    longest_ns = own_ns;
    gap->wait = *wait;
  }
  if (gap->wait == kNoWait) return;
  const bool to_blame = gap->cause != GapCause::kLaunchLatency && waited_ns * 2 >= length;
  if (to_blame) gap->cause = GapCause::kHostWaited;
  if (!to_blame) gap->wait = kNoWait;
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
                          const std::vector<Wait>& waits, uint64_t threshold_ns) {
  return GapFinder(records, rules, waits, threshold_ns).Find();
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
