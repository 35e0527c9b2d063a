// SPDX-License-Identifier: Apache-2.0
// Clock 0 is shared, n is that of device n - 1.
#include "model/devices/device_clocks.h"

#include <algorithm>
#include <utility>

namespace syncline {

void DeviceClocks::Build(const std::map<uint32_t, std::vector<DeviceClockRecord>>& readings,
                         Timeline* host) {
  for (const auto& [number, of_clock] : readings) {
    DeviceTimeline line;
    line.Build(of_clock, host);
    if (!line.valid()) continue;
    if (number == 0) {
      shared_ = std::move(line);
    } else {
      own_.emplace(number - 1, std::move(line));
    }
  }
}

uint64_t DeviceClocks::ErrorNs() const {
  uint64_t error_ns = shared_.ErrorNs();
  for (const auto& [device, line] : own_) error_ns = std::max(error_ns, line.ErrorNs());
  return error_ns;
}

size_t DeviceClocks::steps() const {
  size_t steps = shared_.steps();
  for (const auto& [device, line] : own_) steps += line.steps();
  return steps;
}

}  // namespace syncline
