// SPDX-License-Identifier: Apache-2.0
// How badly launches of a kernel fill their device, where its limits are known: by too few blocks,
// or because few threads have room.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace syncline {

// Why few threads of a kernel have room on a multiprocessor.
enum class RoomLimit : uint8_t { kRegisters, kSharedMemory, kBlocks };
inline constexpr size_t kRoomLimits = 3;
const char* RoomLimitName(RoomLimit limit);  // "registers"

// A kernel has low occupancy if less than so many per cent of a multiprocessor's threads have room.
inline constexpr uint32_t kLowOccupancyPercent = 25;

// Launches that are alike in that. Whole sums, so that the order of adding does not matter.
struct FillSums {
  uint64_t launches = 0;
  uint64_t ns = 0;
  uint64_t sum = 0;  // of blocks, or of per cent

  void Add(const FillSums& other);
  uint64_t Mean() const { return launches == 0 ? 0 : sum / launches; }
  bool operator==(const FillSums&) const = default;
};

struct KernelFill {
  FillSums few_blocks;                    // fewer than the device has multiprocessors
  uint64_t multiprocessors = 0;           // of that device; the most, of several
  std::array<FillSums, kRoomLimits> low;  // of the others: low occupancy, by what limits it

  void Add(const KernelFill& other);
  bool empty() const { return *this == KernelFill(); }
  bool operator==(const KernelFill&) const = default;
};

}  // namespace syncline
