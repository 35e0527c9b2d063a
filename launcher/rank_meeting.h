// SPDX-License-Identifier: Apache-2.0
// The collectives of all ranks of a job that one launcher recorded: what the slices of each rank's
// kernels and its manifest say of the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/collectives.h"
#include "writers/derived.h"
#include "writers/manifest.h"

namespace syncline {

class RankMeeting {
 public:
  explicit RankMeeting(size_t groups) : ranks_(groups), arrivals_(groups) {}

  // To be filled; different groups by different threads.
  RankCollectives* Of(size_t group) { return &ranks_[group]; }
  // When all are filled.
  void Meet();
  // Adds to the slices of the kernels of one process. Any thread after Meet; nothing without it.
  void Describe(size_t group, uint32_t process, Derived* derived) const;
  CollectiveFacts FactsOf(size_t group) const;

 private:
  std::vector<RankCollectives> ranks_;
  std::vector<std::vector<std::optional<Arrival>>> arrivals_;  // by group, by collective
};

}  // namespace syncline
