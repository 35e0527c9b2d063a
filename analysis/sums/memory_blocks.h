// SPDX-License-Identifier: Apache-2.0
// How long each block of an allocator stood, and what it was for.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/sums/memory_events.h"
#include "model/findings/memory_facts.h"

namespace syncline {

struct BlockLife {
  uint64_t begin_ns = 0;
  uint64_t end_ns = UINT64_MAX;  // when it was given back; UINT64_MAX: it stood to the end
  uint64_t bytes = 0;
  uint32_t where = 0;
  uint32_t operation = 0;
  TrainingPhase phase = TrainingPhase::kOther;
  uint64_t phase_end_ns = 0;
};

// Of a device's events in the order of time; those that were taken before `closed` times (when
// nothing was recorded) are over with these, for nobody knows whether they stood on.
std::vector<BlockLife> LivesOf(const std::vector<MemoryEvent>& events,
                               const std::vector<CoverageGap>& closed);

// `backward`: as MemoryEvents::backward.
BlockClass ClassOf(const BlockLife& block, const std::vector<CoverageGap>& backward);

// What stood after the event: by line, operator and class.
MemoryMoment StandingAt(const MemoryEvent& event, const std::vector<BlockLife>& lives,
                        const MemoryEvents& texts);

}  // namespace syncline
