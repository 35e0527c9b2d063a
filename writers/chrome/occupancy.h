// SPDX-License-Identifier: Apache-2.0
// How much of a multiprocessor a kernel can fill, from the limits of its device.
#pragma once

#include <cstdint>
#include <optional>

#include "inject/core/record.h"

namespace syncline {

struct Occupancy {
  double blocks_per_multiprocessor;
  double warps_per_multiprocessor;
  // Of the multiprocessor's threads; what fits at a time counts, no more than there is. Empty: the
  // device's limits are not known.
  std::optional<uint32_t> percent;
};

// As Kineto computes them. Empty: the device's number of multiprocessors is not known.
std::optional<Occupancy> OccupancyOf(const KernelDetails& kernel, const DeviceFacts& device);

}  // namespace syncline
