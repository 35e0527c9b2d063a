// SPDX-License-Identifier: Apache-2.0
// From what each rank would gain by itself to what the job gains.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/findings/run_findings.h"

namespace syncline {

// Of two ranks that are alike one has a little more than half. `price` has ranks.
bool IsOfOneRank(const PriceSums& price);

// Ranks waited for each other mostly in a framework's operators: nobody knows what their threads
// did meanwhile.
bool MeetInOperators(const RankMeetings& meetings);

// Ranks that meet in collectives end together: the one with the longest time of its own, without
// what it waits for others, holds up the job. A change brings the job what it takes from that rank,
// until another one is the longest. Where ranks come late in turn, each one's gain also counts as
// far as it was late. Of ranks that never meet each gains its own: then the job's gain is that of
// the rank that gains most.
class JobGain {
 public:
  // `length_ns`: how long the job's ranks work. Both outlive this.
  JobGain(const RunFindings& findings, const RankMeetings& meetings, uint64_t length_ns);

  uint64_t Of(const PriceSums& price) const { return Of(price, &RankGain::gain_ns); }
  uint64_t OfAhead(const PriceSums& price) const { return Of(price, &RankGain::ahead_ns); }
  // If that rank came to each collective when the next to last one does.
  uint64_t OfLateRank(int rank) const { return OfAll({}, rank); }
  // Of changes at once, as each rank's replay of all of them tells; of those that were not replayed
  // together, what the best of them brings. `late_rank`: as above, too; -1: as it is.
  uint64_t OfAll(const std::vector<const PriceSums*>& prices, int late_rank = -1) const;

 private:
  struct Rank {
    uint64_t own_ns = 0;   // of the job's time: it neither waits for another rank nor is done
    uint64_t late_ns = 0;  // so much later than all others it came to collectives
  };
  using Gains = std::vector<std::pair<std::string_view, uint64_t>>;  // by rank

  uint64_t Of(const PriceSums& price, uint64_t RankGain::*gain) const;
  uint64_t OfRank(const std::string& name, const RankPart& part,
                  const std::vector<const PriceSums*>& prices) const;
  uint64_t OfGains(const Gains& gains, std::string_view late_rank = {}) const;

  const RunFindings& findings_;
  uint64_t length_ns_;
  std::map<std::string, Rank> ranks_;  // by the name of their trace; empty: none meets another
};

}  // namespace syncline
