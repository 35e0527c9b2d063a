// SPDX-License-Identifier: Apache-2.0
// What an allocator's memory grows by: from step to step, and because it lies in pieces.
#pragma once

#include <vector>

#include "analysis/sums/memory_blocks.h"
#include "model/findings/memory_facts.h"

namespace syncline {

// What was taken in most steps, and stood when the last one ended. The first step and the last two
// do not count: what they leave may be gone with the next one. `steps`: when the host was in them,
// in order.
std::vector<MemoryGrowth> GrowthOf(const std::vector<BlockLife>& lives,
                                   const std::vector<CoverageGap>& steps,
                                   const MemoryEvents& texts);

// When the allocator asked its driver for more though more was free than was needed. Blocks up to
// `small_block` lie apart, and do not count.
MemoryPieces PiecesOf(const std::vector<MemoryEvent>& events, uint64_t small_block,
                      const MemoryEvents& texts);

}  // namespace syncline
