// SPDX-License-Identifier: Apache-2.0
// One walk in the order of submission, one in that of the devices.
#include "analysis/sums/launch_starvation.h"

#include <algorithm>

#include "analysis/waits/call_finder.h"

namespace syncline {
namespace {

DeviceUse* UseOf(uint32_t device, std::vector<DeviceUse>* devices) {
  for (DeviceUse& use : *devices) {
    if (use.device == device) return &use;
  }
  return nullptr;
}

bool IsKernel(const GpuOp& op) {
  return op.type == DeviceOpType::kKernel || op.type == DeviceOpType::kGraph;
}

}  // namespace

void MeasureLaunches(const GpuRecords& records, const TimeLimits& limits,
                     std::vector<DeviceUse>* devices) {
  CallFinder finder(records.calls);
  const std::vector<GpuOp>& ops = records.ops;
  for (size_t i = 0; i < ops.size();) {
    const SourceCall* call = finder.Find(ops[i].correlation);
    const GpuOp* first = nullptr;
    const uint32_t correlation = ops[i].correlation;
    for (; i < ops.size() && ops[i].correlation == correlation; ++i) {
      if (call == nullptr || !limits.Hold(ops[i].begin_ns, ops[i].end_ns)) continue;
      if (first == nullptr || ops[i].begin_ns < first->begin_ns) first = &ops[i];
      DeviceUse* use = UseOf(ops[i].device, devices);
      if (use != nullptr && ops[i].begin_ns > call->begin_ns)
        use->queued_ns += ops[i].begin_ns - call->begin_ns;
    }
    DeviceUse* use = first == nullptr ? nullptr : UseOf(first->device, devices);
    if (use != nullptr)
      use->launch_delay.Add(first->begin_ns - std::min(first->begin_ns, call->begin_ns));
  }
}

std::vector<StarvedSums> FindStarved(const GpuRecords& records, const TimeLimits& limits) {
  std::vector<StarvedSums> starved;
  CallFinder finder(records.calls);
  uint64_t busy_until = 0;
  uint32_t device = kNoId;
  for (const uint32_t index : records.ops_by_device) {
    const GpuOp& op = records.ops[index];
    if (!limits.Hold(op.begin_ns, op.end_ns)) continue;
    if (op.device != device) busy_until = 0;
    device = op.device;
    const bool idle = busy_until != 0 && op.begin_ns > busy_until && IsKernel(op);
    const SourceCall* call = idle ? finder.Find(op.correlation) : nullptr;
    if (call != nullptr && call->begin_ns >= busy_until &&
        !MeetsCoverageGap(records.unseen, busy_until, op.begin_ns)) {
      if (op.kernel >= starved.size()) starved.resize(size_t{op.kernel} + 1);
      starved[op.kernel].Add({1, op.begin_ns - busy_until});
    }
    busy_until = std::max(busy_until, op.end_ns);
  }
  return starved;
}

}  // namespace syncline
