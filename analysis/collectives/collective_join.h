// SPDX-License-Identifier: Apache-2.0
// The collectives of a job's ranks: what each rank did beside the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/collectives/collectives.h"
#include "analysis/collectives/messages.h"
#include "model/findings/run_findings.h"
#include "model/run/rank_model.h"

namespace syncline {

class CollectiveJoin {
 public:
  // Returns the rank's number here.
  size_t Add(RankCollectives rank);
  // Call it when all ranks were added. `all_ranks`: they are all ranks of the job.
  void Join(bool all_ranks) {
    meetings_ = FindArrivals(ranks_, all_ranks);
    messages_ = FindMessageWaits(ranks_);
  }
  // After Join. Adds to the findings of one run of the rank. Any thread.
  void Describe(size_t number, ProgramRun* run) const;
  CollectiveFacts FactsOf(size_t number) const;
  // What all ranks did together; two parts of one rank count as one.
  RankMeetings Meetings() const;
  // Gives back what was added.
  RankCollectives Take(size_t number) { return std::move(ranks_[number]); }

 private:
  void AddMessages(size_t number, RankMeetings* met) const;
  void AddCollectives(size_t number, RankMeetings* met) const;

  std::vector<RankCollectives> ranks_;
  syncline::Meetings meetings_;
  MessageWaits messages_;
};

}  // namespace syncline
