// SPDX-License-Identifier: Apache-2.0
// The clocks of one source's devices: one of each device's own, or one for all.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "model/devices/device_timeline.h"

namespace syncline {

// Built once, then only read.
class DeviceClocks {
 public:
  // `readings` by number, as in DeviceClockRecord.
  void Build(const std::map<uint32_t, std::vector<DeviceClockRecord>>& readings, Timeline* host);

  // Whether any clock can be converted.
  bool valid() const { return shared_.valid() || !own_.empty(); }
  // The clock by which a device's operations are stamped. The clock is not valid where the device
  // has none and none is shared.
  const DeviceTimeline& Of(uint32_t device) const {
    if (__builtin_expect(own_.empty(), 1)) return shared_;
    const auto own = own_.find(device);
    return own == own_.end() ? shared_ : own->second;
  }
  // For what belongs to no device: the shared clock; where there is none, any.
  const DeviceTimeline& Shared() const {
    return shared_.valid() || own_.empty() ? shared_ : own_.begin()->second;
  }

  uint64_t ErrorNs() const;  // the largest
  size_t steps() const;      // of all clocks

 private:
  DeviceTimeline shared_;
  std::map<uint32_t, DeviceTimeline> own_;  // by device
};

}  // namespace syncline
