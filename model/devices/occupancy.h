// SPDX-License-Identifier: Apache-2.0
// How much of a multiprocessor a kernel can fill, from the limits of its device.
#pragma once

#include <cstdint>
#include <optional>

#include "inject/core/record.h"

namespace syncline {

// What keeps more blocks of a kernel from a multiprocessor.
enum class OccupancyLimit : uint8_t { kThreads, kBlocks, kRegisters, kSharedMemory };

struct Occupancy {
  double blocks_per_multiprocessor;
  double warps_per_multiprocessor;
  // Share of the multiprocessor's threads that the kernel uses: as many blocks as fit at a time,
  // and no more than the kernel has. Empty: the device's limits are not known.
  std::optional<uint32_t> percent;
  // The same of a kernel of any number of blocks, and what limits it; where `percent` is known.
  uint32_t full_percent = 0;
  OccupancyLimit limit = OccupancyLimit::kThreads;
};

// As Kineto computes them. Empty: the device's number of multiprocessors is not known.
std::optional<Occupancy> OccupancyOf(const KernelDetails& kernel, const DeviceFacts& device);

}  // namespace syncline
