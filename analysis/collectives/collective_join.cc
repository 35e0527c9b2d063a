// SPDX-License-Identifier: Apache-2.0
// Joins the kernels of all ranks, and tells each rank which one came last.
#include "analysis/collectives/collective_join.h"

#include <algorithm>
#include <map>
#include <utility>

namespace syncline {

namespace {

// What several of them have counts once.
uint64_t LengthOfAll(std::vector<std::pair<uint64_t, uint64_t>> spans) {
  std::sort(spans.begin(), spans.end());
  uint64_t length = 0, until = 0;
  for (const auto& [begin, end] : spans) {
    length += std::max(end, until) - std::max(begin, until);
    until = std::max(end, until);
  }
  return length;
}

}  // namespace

size_t CollectiveJoin::Add(RankCollectives rank) {
  ranks_.push_back(std::move(rank));
  return ranks_.size() - 1;
}

void CollectiveJoin::Describe(size_t number, ProgramRun* run) const {
  const std::vector<Collective>& done = ranks_[number].done;
  const auto& arrivals = meetings_.arrivals;
  for (size_t i = 0; i < arrivals[number].size(); ++i) {
    const std::optional<Arrival>& arrival = arrivals[number][i];
    if (done[i].process != run->index || !arrival) continue;
    const auto size = ranks_[number].sizes.find(done[i].communicator);
    const uint32_t ranks = size == ranks_[number].sizes.end() ? 0 : size->second;
    const CollectiveFinding found{done[i].communicator, arrival->waited_ns, done[i].sequence,
                                  arrival->last_rank, ranks};
    if (done[i].operation != 0) {
      run->host_collectives.try_emplace({done[i].tid, done[i].asked}, found);
    } else {
      run->sources.Find(done[i].source)
          ->findings.collectives.try_emplace(done[i].correlation, found);
    }
  }
}

CollectiveFacts CollectiveJoin::FactsOf(size_t number) const {
  CollectiveFacts facts;
  std::vector<RankTimes::Time> waited_for;
  const auto& arrivals = meetings_.arrivals[number];
  for (size_t i = 0; i < arrivals.size(); ++i) {
    const std::optional<Arrival>& arrival = arrivals[i];
    if (!arrival) continue;
    ++facts.met;
    if (ranks_[number].done[i].kind == CollectiveKind::kInGraph) {
      ++facts.in_graphs;
      facts.waited_in_graphs_ns += arrival->waited_ns;
    }
    // Only of kernels is it known what else the rank's devices had to do.
    const Collective& done = ranks_[number].done[i];
    if (done.sequence != 0 && done.operation == 0) facts.late_by_ns += arrival->late_ns;
    facts.came_last += arrival->last_rank == ranks_[number].rank ? 1 : 0;
    if (arrival->last_rank < 0 || arrival->waited_ns == 0) continue;
    waited_for.emplace_back(arrival->last_rank, arrival->waited_ns);
    if (ranks_[number].done[i].sequence == 0)
      facts.at_first_ns[arrival->last_rank] += arrival->waited_ns;
  }
  facts.waited_for_ns = RankTimes(std::move(waited_for));
  return facts;
}

// Not the first ones, in which processes wait for each other's start.
void CollectiveJoin::AddMessages(size_t number, RankMeetings* met) const {
  const RankCollectives& rank = ranks_[number];
  std::vector<std::pair<uint64_t, uint64_t>> bubbles;
  for (size_t i = 0; i < rank.messages.size(); ++i) {
    const Message& message = rank.messages[i];
    const std::optional<MessageWait>& wait = messages_.waits[number][i];
    if (!wait || message.sequence == 0) continue;
    MessageKey key{rank.rank, wait->other, message.sends, ""};
    if (message.range < rank.message_ranges.size()) key.ranges = rank.message_ranges[message.range];
    MessageSums& sums = met->messages[std::move(key)];
    ++sums.met;
    if (wait->waited_ns == 0) continue;
    ++sums.waited;
    sums.waited_ns += wait->waited_ns;
    sums.longest_ns = std::max(sums.longest_ns, wait->waited_ns);
    bubbles.emplace_back(message.begin_ns, message.begin_ns + wait->waited_ns);
  }
  if (!bubbles.empty()) met->bubbles_ns[rank.rank] += LengthOfAll(std::move(bubbles));
}

// The other ranks' sums of the same collectives are added by these.
void CollectiveJoin::AddCollectives(size_t number, RankMeetings* met) const {
  const RankCollectives& rank = ranks_[number];
  std::map<std::pair<uint64_t, uint32_t>, CollectiveSums> sums;  // by communicator and operation
  for (size_t i = 0; i < rank.done.size(); ++i) {
    const Collective& done = rank.done[i];
    if (done.operation == 0 || done.operation > rank.operations.size()) continue;
    CollectiveSums& of = sums[{done.communicator, done.operation}];
    ++of.count;
    of.bytes += done.bytes;
    const std::optional<Arrival>& arrival = meetings_.arrivals[number][i];
    if (!arrival) continue;
    ++of.met;
    of.waited_ns += arrival->waited_ns;
    of.longest_ns = std::max(of.longest_ns, arrival->waited_ns);
    if (arrival->last_rank < 0) continue;
    LateSums& late = of.late[arrival->last_rank];
    late.times += arrival->last_rank == rank.rank ? 1 : 0;
    late.waited_ns += arrival->waited_ns;
  }
  for (auto& [key, of] : sums) {
    const auto name = rank.groups.find(key.first);
    const auto ranks = rank.sizes.find(key.first);
    CollectiveSums& all = met->collectives[{name == rank.groups.end() ? "" : name->second,
                                            rank.operations[key.second - 1]}];
    all.ranks = std::max<uint64_t>(all.ranks, ranks == rank.sizes.end() ? 0 : ranks->second);
    all.count = std::max(all.count, of.count);
    all.bytes = std::max(all.bytes, of.bytes);
    all.met = std::max(all.met, of.met);
    all.waited_ns += of.waited_ns;
    all.longest_ns = std::max(all.longest_ns, of.longest_ns);
    for (const auto& [last, late] : of.late) {
      all.late[last].times += late.times;
      all.late[last].waited_ns += late.waited_ns;
    }
  }
}

RankMeetings CollectiveJoin::Meetings() const {
  RankMeetings met;
  met.clock_error_ns = meetings_.clock_error_ns;
  met.clock_offset_ns = meetings_.largest_offset_ns;
  for (size_t i = 0; i < ranks_.size(); ++i) {
    if (ranks_[i].rank < 0) continue;
    const CollectiveFacts facts = FactsOf(i);
    CollectiveFacts& of_rank = met.ranks[ranks_[i].rank];
    of_rank.met += facts.met;
    of_rank.came_last += facts.came_last;
    of_rank.late_by_ns += facts.late_by_ns;
    of_rank.in_graphs += facts.in_graphs;
    of_rank.waited_in_graphs_ns += facts.waited_in_graphs_ns;
    of_rank.waited_for_ns.Add(facts.waited_for_ns);
    of_rank.at_first_ns.Add(facts.at_first_ns);
    LeftOutCounts& left_out = met.left_out[ranks_[i].rank];
    for (size_t why = 0; why < kLeftOutReasons; ++why)
      left_out[why] += meetings_.left_out[i][why] + messages_.left_out[i][why];
    AddMessages(i, &met);
    AddCollectives(i, &met);
  }
  return met;
}

}  // namespace syncline
