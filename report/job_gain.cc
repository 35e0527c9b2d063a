// SPDX-License-Identifier: Apache-2.0
// The longest of the ranks' own times, before and after a change.
#include "report/job_gain.h"

#include <algorithm>

#include "base/text.h"

namespace syncline {
namespace {

// Of a rank that was not replayed.
uint64_t WaitedIn(const CollectiveFacts& facts) {
  uint64_t waited = 0;
  for (const auto& [last, ns] : facts.waited_for_ns) {
    const auto first = facts.at_first_ns.find(last);
    waited += first == facts.at_first_ns.end() ? ns : ns - std::min(ns, first->second);
  }
  return waited;
}

// Of its devices' work; without any, of all.
uint64_t EndOf(const RankPart& part) {
  uint64_t end = 0;
  for (const DeviceUse& use : part.devices) end = std::max(end, use.end_ns);
  return end != 0 ? end : part.end_ns;
}

}  // namespace

JobGain::JobGain(const RunFindings& findings, const RankMeetings& meetings, uint64_t length_ns)
    : length_ns_(length_ns) {
  uint64_t end_ns = 0;
  for (const auto& [name, part] : findings.ranks) end_ns = std::max(end_ns, EndOf(part));
  for (const auto& [name, part] : findings.ranks) {
    const auto facts = meetings.ranks.find(part.rank);
    if (part.rank < 0 || facts == meetings.ranks.end() || facts->second.met == 0) continue;
    const uint64_t waited =
        part.replay.windows != 0 ? part.replay.waited_ns : WaitedIn(facts->second);
    const uint64_t not_its = waited + (end_ns - EndOf(part));
    ranks_[name] = {length_ns - std::min(length_ns, not_its), facts->second.late_by_ns};
  }
  if (ranks_.size() < 2) ranks_.clear();
}

uint64_t JobGain::LongestBut(const std::string& left_out) const {
  uint64_t longest = 0;
  for (const auto& [name, rank] : ranks_)
    longest = std::max(longest, name == left_out ? 0 : rank.own_ns);
  return longest;
}

uint64_t JobGain::Of(const PriceSums& price, uint64_t RankGain::*gain) const {
  if (price.of_ranks.empty()) return price.gain.*gain;
  uint64_t most = 0, before = 0, after = 0, in_turn = 0;
  for (const auto& [name, its] : price.of_ranks) {
    most = std::max(most, its.*gain);
    const auto rank = ranks_.find(name);
    if (rank != ranks_.end()) in_turn += std::min(its.*gain, rank->second.late_ns);
  }
  if (ranks_.empty()) return most;
  for (const auto& [name, rank] : ranks_) {
    const auto its = price.of_ranks.find(name);
    const uint64_t gained = its == price.of_ranks.end() ? 0 : its->second.*gain;
    before = std::max(before, rank.own_ns);
    after = std::max(after, rank.own_ns - std::min(rank.own_ns, gained));
  }
  return std::min(std::max(before - after, in_turn), length_ns_);
}

uint64_t JobGain::OfLateRank(int rank) const {
  const std::string name = Text("rank-", rank);
  const auto late = ranks_.find(name);
  if (late == ranks_.end()) return 0;
  const uint64_t others = LongestBut(name);
  return std::max(late->second.own_ns - std::min(late->second.own_ns, others),
                  late->second.late_ns);
}

}  // namespace syncline
