// SPDX-License-Identifier: Apache-2.0
// A sweep over the operations of a device in the order in which they began.
#include "analysis/sums/device_use.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/collectives/collectives.h"

namespace syncline {
namespace {

bool IsSet(const GpuOp& op) { return op.type == DeviceOpType::kSet; }

}  // namespace

bool IsCopy(const GpuOp& op) {
  return op.type == DeviceOpType::kCopy || op.type == DeviceOpType::kPeerCopy;
}

bool Communicates(const OpLabel& label) {
  return CollectiveOfKernel(label.kernel) || LeftOutOfKernel(label.kernel);
}

WorkKind KindOf(const GpuOp& op, bool communicates) {
  if (IsCopy(op)) return WorkKind::kCopying;
  if (communicates) return WorkKind::kCommunicating;
  return IsSet(op) ? WorkKind::kSets : WorkKind::kKernels;
}

std::vector<DeviceUse> MeasureDeviceUse(const GpuRecords& records,
                                        const std::vector<OpLabel>& labels,
                                        const TimeLimits& limits,
                                        const std::vector<CoverageGap>& closed,
                                        std::map<uint32_t, WorkSpans>* spans, size_t most_spans) {
  std::vector<bool> communicates;
  for (const OpLabel& label : labels) communicates.push_back(Communicates(label));
  std::map<uint32_t, std::pair<DeviceUse, WorkSweep>> devices;
  std::pair<DeviceUse, WorkSweep>* of_device = nullptr;
  WorkSpans* kept = nullptr;
  for (const uint32_t index : records.ops_by_device) {
    const GpuOp& op = records.ops[index];
    if (!limits.Hold(op.begin_ns, op.end_ns)) continue;
    if (of_device == nullptr || op.device != of_device->first.device) {
      of_device = &devices.try_emplace(op.device, DeviceUse(), WorkSweep(closed)).first->second;
      of_device->first.device = op.device;
      if (spans != nullptr) kept = &spans->try_emplace(op.device, most_spans).first->second;
    }
    auto& [use, sweep] = *of_device;
    if (use.operations++ == 0) use.begin_ns = op.begin_ns;
    use.end_ns = std::max(use.end_ns, op.end_ns);
    const WorkKind kind = KindOf(op, op.kernel < communicates.size() && communicates[op.kernel]);
    sweep.Add(op.begin_ns, op.end_ns, kind);
    if (kept != nullptr) kept->Add(op.begin_ns, op.end_ns, kind);
  }
  std::vector<DeviceUse> uses;
  for (auto& [number, of] : devices) {
    of.second.FillIn(&of.first);
    uses.push_back(std::move(of.first));
  }
  return uses;
}

void MeasureMemory(const DeviceSurvey& survey, const DeviceClocks& clocks,
                   std::vector<DeviceUse>* devices) {
  std::vector<MemoryChange> changes = survey.memory;
  std::stable_sort(
      changes.begin(), changes.end(),
      [](const MemoryChange& a, const MemoryChange& b) { return a.device_ns < b.device_ns; });
  std::map<uint32_t, int64_t> taken;
  for (const MemoryChange& change : changes) {
    const int64_t bytes = taken[change.device] += change.bytes;
    for (DeviceUse& use : *devices) {
      if (use.device != change.device || bytes <= static_cast<int64_t>(use.memory_peak_bytes))
        continue;
      use.memory_peak_bytes = static_cast<uint64_t>(bytes);
      const DeviceTimeline& clock = clocks.Of(change.device);
      if (clock.valid()) use.memory_peak_at_ns = clock.Convert(change.device_ns);
    }
  }
}

}  // namespace syncline
