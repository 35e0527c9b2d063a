// SPDX-License-Identifier: Apache-2.0
// What other launchers of the job, of ranks of their own, have found out while this one is at work.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "model/findings/run_findings.h"

namespace syncline {

// Whether --ranks leaves the rank out by its number alone, or a mark says that it did.
bool IsLeftOut(const std::string& directory, int rank);

// Each launcher leaves its ranks' analysis (findings that are not complete) before it writes
// traces, and looks for those of the others: then the slices of its traces can say who came last.
class OtherRanks {
 public:
  // Each launcher reads the files of all: with more ranks than this the sums must do, which whoever
  // ends last makes.
  static constexpr int kMostRanks = 64;
  // Ranks that have a launcher each end at about the same time; for so long they are waited for.
  static constexpr int kWaitMs = 1000;

  explicit OtherRanks(std::string directory) : directory_(std::move(directory)) {}

  // A rank of this launcher, by the name of its trace. All before Gather.
  void Offer(const std::string& name, const RankPart& part);
  // Leaves what was offered and takes what the others left, where the ranks here took part in
  // collectives with ranks that are not here. `wait_ms`: for those that are not there yet. Not
  // being able to is no error: sums come later.
  void Gather(int wait_ms, const std::function<bool()>& stopped);

  std::vector<RankCollectives>& found() { return found_; }
  // The ranks here and those found are all of the job.
  bool are_all() const {
    return world_size_ > 0 && known_.size() == static_cast<size_t>(world_size_);
  }

 private:
  std::vector<int> Missing() const;

  const std::string directory_;
  std::vector<std::pair<std::string, const RankPart*>> offered_;
  std::vector<int> known_;
  int world_size_ = 0;
  std::vector<RankCollectives> found_;
};

}  // namespace syncline
