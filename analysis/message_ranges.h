// SPDX-License-Identifier: Apache-2.0
// In which ranges of the program a process asked for what it sent to other ranks or received.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "analysis/range_stacks.h"
#include "model/findings/collective.h"
#include "model/run/rank_model.h"

namespace syncline {

// Ask before the second reading, take the answers after it. One thread.
class MessageRanges {
 public:
  void Ask(ProgramRun* run, const RankCollectives& rank, RangeStacks* stacks);
  // Numbers in the names are '#': rounds of one range are one.
  void FillIn(RangeStacks* stacks, RankCollectives* rank) const;

 private:
  std::vector<std::pair<size_t, MomentId>> asked_;  // in RankCollectives::messages
};

}  // namespace syncline
