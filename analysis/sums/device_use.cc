// SPDX-License-Identifier: Apache-2.0
// A sweep over the operations of a device in the order in which they began.
#include "analysis/sums/device_use.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <utility>

#include "analysis/collectives/collectives.h"

namespace syncline {
namespace {

// Bits of what is at work at a time.
enum Work : unsigned { kKernels = 1, kCommunicating = 2, kCopying = 4, kSets = 8, kWorks = 16 };
constexpr unsigned kComputing = kKernels | kSets;
constexpr unsigned kWorkKinds = 4;

class Sweep {
 public:
  explicit Sweep(const std::vector<CoverageGap>& closed) : closed_(closed) {}

  void Add(const GpuOp& op, Work work) {
    AdvanceTo(op.begin_ns);
    const auto kind = static_cast<size_t>(std::countr_zero(static_cast<unsigned>(work)));
    until_[kind] = std::max(until_[kind], op.end_ns);
  }
  // Gives how long each combination of work was under way.
  const uint64_t (&Finish())[kWorks] {
    AdvanceTo(*std::max_element(std::begin(until_), std::end(until_)));
    return times_;
  }
  uint64_t unseen_ns() const { return unseen_ns_; }

 private:
  // The operation of a kind that ends last covers all the time from now until its end.
  void AdvanceTo(uint64_t to) {
    while (now_ < to) {
      unsigned works = 0;
      uint64_t next = to;
      for (unsigned kind = 0; kind < kWorkKinds; ++kind) {
        if (until_[kind] <= now_) continue;
        works |= 1u << kind;
        next = std::min(next, until_[kind]);
      }
      times_[works] += next - now_;
      if (works == 0 && now_ != 0) unseen_ns_ += CoveredBy(closed_, now_, next);
      now_ = next;
    }
  }

  const std::vector<CoverageGap>& closed_;
  uint64_t now_ = 0;
  uint64_t unseen_ns_ = 0;
  uint64_t until_[kWorkKinds] = {};
  uint64_t times_[kWorks] = {};
};

bool IsSet(const GpuOp& op) { return op.type == DeviceOpType::kSet; }

}  // namespace

bool IsCopy(const GpuOp& op) {
  return op.type == DeviceOpType::kCopy || op.type == DeviceOpType::kPeerCopy;
}

bool Communicates(const OpLabel& label) {
  return CollectiveOfKernel(label.kernel) || LeftOutOfKernel(label.kernel);
}

std::vector<DeviceUse> MeasureDeviceUse(const GpuRecords& records,
                                        const std::vector<OpLabel>& labels,
                                        const TimeLimits& limits,
                                        const std::vector<CoverageGap>& closed) {
  std::vector<bool> communicates;
  for (const OpLabel& label : labels) communicates.push_back(Communicates(label));
  std::map<uint32_t, std::pair<DeviceUse, Sweep>> devices;
  std::pair<DeviceUse, Sweep>* of_device = nullptr;
  uint32_t device = 0;
  for (const uint32_t index : records.ops_by_device) {
    const GpuOp& op = records.ops[index];
    if (!limits.Hold(op.begin_ns, op.end_ns)) continue;
    if (of_device == nullptr || op.device != device)
      of_device = &devices.try_emplace(op.device, DeviceUse(), Sweep(closed)).first->second;
    device = op.device;
    auto& [use, sweep] = *of_device;
    if (use.operations++ == 0) use.begin_ns = op.begin_ns;
    use.end_ns = std::max(use.end_ns, op.end_ns);
    const bool talks = op.kernel < communicates.size() && communicates[op.kernel];
    sweep.Add(op, IsCopy(op) ? kCopying : talks ? kCommunicating : IsSet(op) ? kSets : kKernels);
  }
  std::vector<DeviceUse> uses;
  for (auto& [number, of] : devices) {
    DeviceUse& use = of.first;
    use.device = number;
    const uint64_t(&times)[kWorks] = of.second.Finish();
    use.unseen_ns = of.second.unseen_ns();
    for (unsigned works = 1; works < kWorks; ++works) {
      use.busy_ns += times[works];
      if ((works & kComputing) != 0) use.computing_ns += times[works];
      if ((works & kKernels) != 0) use.kernels_ns += times[works];
      if ((works & kCommunicating) != 0) use.communicating_ns += times[works];
      if ((works & kCopying) != 0) use.copying_ns += times[works];
    }
    use.communicating_alone_ns = times[kCommunicating] + times[kCommunicating | kCopying];
    use.copying_alone_ns = times[kCopying];
    uses.push_back(std::move(use));
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
