// SPDX-License-Identifier: Apache-2.0
// One pass in the order of submission.
#include "analysis/waits/stream_waits.h"

#include <algorithm>

#include "analysis/waits/submitted_work.h"

namespace syncline {
namespace {

bool IsOfOneDevice(const GpuRecords& records) {
  const std::vector<uint32_t>& order = records.ops_by_device;
  return order.empty() || records.ops[order.front()].device == records.ops[order.back()].device;
}

class StreamWaits {
 public:
  StreamWaits(const GpuRecords& records, const WaitRules& rules)
      : ops_(records.ops), submitted_(records, rules.default_queue) {}

  void Add(uint32_t op) {
    submitted_.Add(op);
    const auto pending = pending_.find(KeyOf(ops_[op].context, ops_[op].stream));
    if (pending == pending_.end()) return;
    if (ops_[pending->second].device != ops_[op].device) awaited.emplace(op, pending->second);
    pending_.erase(pending);
  }
  void Add(const GpuEventRecord& record) { submitted_.Add(record); }
  void Add(const GpuSync& wait) {
    if (wait.kind != GpuSyncKind::kStreamWaitEvent) return;
    const uint32_t work = submitted_.OfEvent(wait.context, wait.event);
    submitted_.Add(wait);
    if (work == kNoOp) return;
    uint32_t& latest = pending_.try_emplace(KeyOf(wait.context, wait.stream), work).first->second;
    if (ops_[work].end_ns > ops_[latest].end_ns) latest = work;
  }

  std::unordered_map<uint32_t, uint32_t> awaited;

 private:
  static uint64_t KeyOf(uint32_t context, uint32_t stream) {
    return uint64_t{context} << 32 | stream;
  }

  const std::vector<GpuOp>& ops_;
  SubmittedWork submitted_;
  std::unordered_map<uint64_t, uint32_t> pending_;  // by stream: what its next operation waits for
};

}  // namespace

std::unordered_map<uint32_t, uint32_t> AwaitedOfOtherDevices(const GpuRecords& records,
                                                             const WaitRules& rules) {
  if (records.syncs.empty() || records.events.empty() || IsOfOneDevice(records)) return {};
  StreamWaits waits(records, rules);
  size_t op = 0, sync = 0, event = 0;
  const auto head = [](const auto& rows, size_t next) {
    return next < rows.size() ? uint64_t{rows[next].correlation} : UINT64_MAX;
  };
  for (;;) {
    const uint64_t of_op = head(records.ops, op);
    const uint64_t of_sync = head(records.syncs, sync);
    const uint64_t of_event = head(records.events, event);
    const uint64_t first = std::min({of_op, of_sync, of_event});
    if (first == UINT64_MAX) return std::move(waits.awaited);
    if (first == of_op) {
      waits.Add(static_cast<uint32_t>(op++));
    } else if (first == of_sync) {
      waits.Add(records.syncs[sync++]);
    } else {
      waits.Add(records.events[event++]);
    }
  }
}

}  // namespace syncline
