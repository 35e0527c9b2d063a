// SPDX-License-Identifier: Apache-2.0
// The collectives of all ranks of a job that one launcher recorded: what each rank did beside the
// others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/collectives.h"
#include "model/rank_model.h"

namespace syncline {

class CollectiveJoin {
 public:
  explicit CollectiveJoin(size_t groups) : ranks_(groups), arrivals_(groups) {}

  // To be filled; different groups by different threads.
  RankCollectives* Of(size_t group) { return &ranks_[group]; }
  // When all are filled.
  void Join();
  // Adds to the findings of one run. Any thread after Join; nothing without it.
  void Describe(size_t group, ProgramRun* run) const;
  CollectiveFacts FactsOf(size_t group) const;

 private:
  std::vector<RankCollectives> ranks_;
  std::vector<std::vector<std::optional<Arrival>>> arrivals_;  // by group, by collective
};

}  // namespace syncline
