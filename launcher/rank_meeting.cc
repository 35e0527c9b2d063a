// SPDX-License-Identifier: Apache-2.0
// Arrivals in words.
#include "launcher/rank_meeting.h"

#include "launcher/text.h"
#include "writers/json.h"

namespace syncline {
namespace {

std::string Arguments(const Collective& done, const Arrival& arrival) {
  char waited[kMaxNumberChars];
  const std::string waited_us(waited, PutMicros(waited, arrival.waited_ns));
  const std::string last = arrival.last_rank < 0 ? "null" : std::to_string(arrival.last_rank);
  return Text("\"communicator\": \"0x", HexText(done.communicator),
              "\", \"collective\": ", done.sequence, ", \"last_rank\": ", last,
              ", \"waited_us\": ", waited_us);
}

}  // namespace

void RankMeeting::Meet() { arrivals_ = FindArrivals(ranks_); }

void RankMeeting::Describe(size_t group, uint32_t process, Derived* derived) const {
  const std::vector<Collective>& done = ranks_[group].done;
  for (size_t i = 0; i < arrivals_[group].size(); ++i) {
    if (done[i].process != process || !arrivals_[group][i]) continue;
    derived->of_ops.try_emplace(done[i].correlation, Arguments(done[i], *arrivals_[group][i]));
  }
}

CollectiveFacts RankMeeting::FactsOf(size_t group) const {
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
