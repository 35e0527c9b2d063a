// SPDX-License-Identifier: Apache-2.0
// What the devices of a process did at each moment, or why they did nothing: kept from the first
// reading to the second, which asks for its steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "analysis/sums/busy_prefix_sums.h"
#include "model/devices/gpu_records.h"
#include "model/devices/op_label.h"
#include "model/findings/findings.h"
#include "model/findings/time_shares.h"
#include "model/run/time_limits.h"

namespace syncline {

using DeviceKey = std::pair<uint32_t, uint32_t>;  // source and number

// Of a part of a gap; `span`: what its host did.
TimeKind KindOfPart(GapCause cause, HostSpan span);
// Of a gap by its number. Where its lines are not known, what was copied behind it was made in it.
HostSpan SpanOf(const std::vector<Gap>& gaps, const std::vector<LinesBetween>& lines, size_t gap);

// One thread. Memory: 24 bytes for a spell, up to a number of them; beyond, steps are coarser.
class TimeCurves {
 public:
  // `most`: spells of a device and kind. `closed`: joined times in which nothing was recorded.
  TimeCurves(std::vector<CoverageGap> closed, size_t most)
      : closed_(std::move(closed)), most_(most) {}

  // Of each source, `ops_by_device` filled in; `labels` by GpuOp::kernel.
  void AddDevices(uint32_t source, const GpuRecords& records, const std::vector<OpLabel>& labels,
                  const TimeLimits& limits);
  // Those of one device in the order of time. A gap's parts are taken to lie one behind the other.
  // `lines`: of the gaps; empty: not known.
  void AddGaps(uint32_t source, const std::vector<Gap>& gaps,
               const std::vector<LinesBetween>& lines, const TimeLimits& limits);

  uint64_t bytes() const;
  // Up to how much each end of a step is off.
  uint64_t error_ns() const;
  bool empty() const { return devices_.empty(); }
  // Of all devices together but `without`.
  TimeShares Between(uint64_t begin_ns, uint64_t end_ns, const std::set<DeviceKey>& without = {});
  // From the first to the last operation of a device.
  TimeShares All();

 private:
  // Each curve holds the one before; those of gaps stand for themselves.
  struct Device {
    explicit Device(size_t most) : computing(most), kernels(most), working(most) {}
    SpellCurve computing, kernels, working;
    std::map<TimeKind, SpellCurve> gaps;
  };
  Device& DeviceOf(uint32_t source, uint32_t device) {
    return devices_.try_emplace({source, device}, most_).first->second;
  }
  // While it did nothing before its first kernel.
  uint64_t SetUpNs(Device* device, uint64_t begin_ns, uint64_t end_ns) const;
  void AddPart(Device* device, TimeKind kind, uint64_t begin_ns, uint64_t end_ns);

  const std::vector<CoverageGap> closed_;
  const size_t most_;
  std::map<DeviceKey, Device> devices_;
};

}  // namespace syncline
