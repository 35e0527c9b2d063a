// SPDX-License-Identifier: Apache-2.0
// Who came last, kernel by kernel.
#include "analysis/collective_join.h"

namespace syncline {
void CollectiveJoin::Join() { arrivals_ = FindArrivals(ranks_); }

void CollectiveJoin::Describe(size_t group, ProgramRun* run) const {
  const std::vector<Collective>& done = ranks_[group].done;
  for (size_t i = 0; i < arrivals_[group].size(); ++i) {
    const std::optional<Arrival>& arrival = arrivals_[group][i];
    if (done[i].process != run->index || !arrival) continue;
    run->sources.Find(done[i].source)
        ->findings.collectives.try_emplace(
            done[i].correlation, CollectiveFinding{done[i].communicator, arrival->waited_ns,
                                                   done[i].sequence, arrival->last_rank});
  }
}

CollectiveFacts CollectiveJoin::FactsOf(size_t group) const {
  CollectiveFacts facts;
  for (const std::optional<Arrival>& arrival : arrivals_[group]) {
    if (!arrival) continue;
    ++facts.met;
    facts.came_last += arrival->last_rank == ranks_[group].rank ? 1 : 0;
    if (arrival->last_rank >= 0 && arrival->waited_ns != 0)
      facts.waited_for_ns[arrival->last_rank] += arrival->waited_ns;
  }
  return facts;
}

}  // namespace syncline
