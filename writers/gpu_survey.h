// SPDX-License-Identifier: Apache-2.0
// First reading of a spool, the GPU's part: devices, streams, lanes, clock readings, and which
// correlations have a call and an operation.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "inject/core/record.h"
#include "writers/lanes.h"

namespace syncline {

struct DeviceInfo {
  DeviceFacts facts{};
  std::string name;
};

// A stream of a GPU, as the vendor numbers it.
struct GpuStream {
  uint32_t device = 0;
  uint32_t context = 0;
  uint32_t stream = 0;
  auto operator<=>(const GpuStream&) const = default;
};

// A set of correlation ids, which are dense.
class CorrelationSet {
 public:
  void Add(uint32_t correlation);
  bool Has(uint32_t correlation) const { return correlation < bits_.size() && bits_[correlation]; }

 private:
  std::vector<bool> bits_;
};

// Memory: two bits a correlation, and what devices, streams and clock readings need, each capped.
class GpuSurvey {
 public:
  void OnCall(const CallRecord& call);
  void OnDeviceOp(const DeviceOpRecord& op);
  void OnDeviceClock(const DeviceClockRecord& reading);
  void OnDevice(uint64_t device, const DeviceFacts& facts, std::string_view name);

  std::map<uint32_t, DeviceInfo> devices;
  std::map<GpuStream, LaneAssigner> streams;
  std::vector<DeviceClockRecord> clocks;
  CorrelationSet calls;  // those whose call is outermost
  CorrelationSet ops;
  uint64_t call_count = 0;
  uint64_t op_count = 0;
};

}  // namespace syncline
