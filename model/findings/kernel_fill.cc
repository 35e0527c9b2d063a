// SPDX-License-Identifier: Apache-2.0
// Sums, and words.
#include "model/findings/kernel_fill.h"

#include <algorithm>

namespace syncline {

const char* RoomLimitName(RoomLimit limit) {
  static constexpr const char* kNames[kRoomLimits] = {"registers", "shared_memory", "blocks"};
  return kNames[static_cast<size_t>(limit)];
}

void FillSums::Add(const FillSums& other) {
  launches += other.launches;
  ns += other.ns;
  sum += other.sum;
}

void KernelFill::Add(const KernelFill& other) {
  few_blocks.Add(other.few_blocks);
  multiprocessors = std::max(multiprocessors, other.multiprocessors);
  for (size_t limit = 0; limit < kRoomLimits; ++limit) low[limit].Add(other.low[limit]);
}

}  // namespace syncline
