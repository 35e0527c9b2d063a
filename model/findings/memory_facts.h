// SPDX-License-Identifier: Apache-2.0
// What a framework's allocator had given out of a device's memory: at its peak, from step to step,
// and when there was no more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace syncline {

// What a block is for, by where it was taken and how long it stood. Where gradients are computed:
// kWeights stood before the first backward and after the second; kState was taken in an optimizer's
// step and kGradients in a backward, and stood behind it; kTemporary did not; kActivations were
// taken elsewhere and were gone by the second end of a backward; kKept stood longer. kUnknown: the
// program computes no gradients.
enum class BlockClass : uint8_t {
  kUnknown,
  kWeights,
  kGradients,
  kState,
  kActivations,
  kTemporary,
  kKept
};
inline constexpr size_t kBlockClasses = 7;
const char* BlockClassName(BlockClass block_class);  // "optimizer state"

// Blocks that stood at one moment, of one place.
struct MemoryGroup {
  std::string where;      // the line that took them; empty: not known
  std::string operation;  // the outermost operator in which that was; empty: none was recorded
  BlockClass block_class = BlockClass::kUnknown;
  uint64_t bytes = 0;
  uint64_t count = 0;
  bool operator==(const MemoryGroup&) const = default;
};
inline constexpr size_t kMostMemoryGroups = 64;
// MemoryGroup::where of those beyond the most.
inline constexpr char kOtherPlaces[] = "(other lines)";

// What stood at one moment.
struct MemoryMoment {
  uint64_t at_ns = 0;
  uint64_t allocated = 0;
  uint64_t held = 0;       // of the driver
  uint64_t unknown = 0;    // of `allocated`: taken while nothing was recorded
  uint64_t requested = 0;  // for which there was no room; 0: it was no such moment
  std::string where;       // the line that asked; empty: not known
  std::string operation;
  std::string step;                 // in which; empty: in none
  std::vector<MemoryGroup> groups;  // largest first, at most kMostMemoryGroups and the others
  bool operator==(const MemoryMoment&) const = default;
};

// What is taken at one place in each step, and stays.
struct MemoryGrowth {
  std::string where;
  std::string operation;
  uint64_t bytes = 0;  // in all `of_steps`
  uint64_t count = 0;
  uint64_t steps = 0;  // in so many of them something was taken that stayed
  uint64_t of_steps = 0;
  bool operator==(const MemoryGrowth&) const = default;
};
inline constexpr size_t kMostGrowths = 8;

// The allocator asked its driver for more though as much as was needed was free, in pieces.
struct MemoryPieces {
  uint64_t times = 0;
  uint64_t asked = 0;  // of the driver, all those times
  // The time at which most was free.
  uint64_t free = 0;
  uint64_t needed = 0;
  uint64_t held = 0;  // before it asked
  uint64_t at_ns = 0;
  std::string where;
  bool operator==(const MemoryPieces&) const = default;
};

// Of one device, as one process used it.
struct AllocatorUse {
  int32_t pid = 0;
  std::string program;
  std::string source;
  std::string device;  // "cuda:0"
  uint64_t taken = 0;  // blocks
  MemoryMoment peak;   // when most was allocated
  uint64_t held_peak = 0;
  uint64_t held_peak_at_ns = 0;
  uint64_t unused_peak = 0;  // most that was held and not allocated, when a block was taken
  // Beside what the allocator held when that was most: taken of the driver by the program's calls.
  uint64_t outside = 0;
  bool outside_known = false;
  std::vector<MemoryMoment> out_of_memory;  // the first kMostOutOfMemory
  uint64_t out_of_memory_count = 0;
  std::vector<MemoryGrowth> growth;  // largest first
  MemoryPieces pieces;
  bool operator==(const AllocatorUse&) const = default;
};
inline constexpr size_t kMostOutOfMemory = 4;
inline constexpr size_t kMostAllocatorUses = 1024;  // of a rank

}  // namespace syncline
