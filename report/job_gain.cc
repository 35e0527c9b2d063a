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
  for (const auto& [last, ns] : facts.waited_for_ns)
    waited += ns - std::min(ns, facts.at_first_ns.Of(last));
  return waited;
}

// Of its devices' work; without any, of all.
uint64_t EndOf(const RankPart& part) {
  uint64_t end = 0;
  for (const DeviceUse& use : part.devices) end = std::max(end, use.end_ns);
  return end != 0 ? end : part.end_ns;
}

}  // namespace

// Ranks that mostly wait for each other's messages, and meet in a barrier now and then: which one
// holds up the others is not told by what each has of its own, for one works while another waits.
bool IsPipeline(const RankMeetings& meetings) {
  uint64_t in_messages = 0, in_collectives = 0;
  for (const auto& [rank, ns] : meetings.bubbles_ns) in_messages += ns;
  for (const auto& [rank, facts] : meetings.ranks) in_collectives += WaitedIn(facts);
  return in_messages > in_collectives;
}

bool MeetInOperators(const RankMeetings& meetings) {
  uint64_t in_operators = 0, in_all = 0;
  for (const auto& [key, sums] : meetings.collectives) in_operators += sums.waited_ns;
  for (const auto& [rank, facts] : meetings.ranks) {
    for (const auto& [last, ns] : facts.waited_for_ns) in_all += ns;
  }
  return 2 * in_operators > in_all;
}

bool IsOfOneRank(const PriceSums& price) {
  const RankGain& its = price.Worst()->second;
  const uint64_t ranks = price.of_ranks.size();
  return ranks == 1 || (its.gain_ns * 2 > price.gain.gain_ns &&
                        its.gain_ns * (ranks - 1) > 3 * (price.gain.gain_ns - its.gain_ns));
}

JobGain::JobGain(const RunFindings& findings, const RankMeetings& meetings, uint64_t length_ns)
    : findings_(findings), length_ns_(length_ns) {
  uint64_t end_ns = 0;  // not of a launcher, which ends when all is torn down
  for (const auto& [name, part] : findings.ranks)
    end_ns = std::max(end_ns, part.rank < 0 ? 0 : EndOf(part));
  for (const auto& [name, part] : findings.ranks) {
    const auto facts = meetings.ranks.find(part.rank);
    if (part.rank < 0 || facts == meetings.ranks.end() || facts->second.met == 0) continue;
    const uint64_t waited =
        part.replay.windows != 0 ? part.replay.waited_ns : WaitedIn(facts->second);
    const uint64_t not_its = waited + (end_ns - EndOf(part));
    ranks_[name] = {length_ns - std::min(length_ns, not_its), facts->second.late_by_ns};
  }
  if (ranks_.size() < 2 || IsPipeline(meetings) || MeetInOperators(meetings)) ranks_.clear();
}

uint64_t JobGain::Of(const PriceSums& price, uint64_t RankGain::*gain) const {
  if (price.of_ranks.empty()) return price.gain.*gain;
  Gains gains;
  gains.reserve(price.of_ranks.size());
  for (const auto& [name, its] : price.of_ranks) gains.emplace_back(name, its.*gain);
  return OfGains(gains);
}

uint64_t JobGain::OfAll(const std::vector<const PriceSums*>& prices, int late_rank) const {
  Gains gains;
  for (const auto& [name, part] : findings_.ranks)
    gains.emplace_back(name, OfRank(name, part, prices));
  return OfGains(gains, late_rank < 0 ? "" : Text("rank-", late_rank));
}

// What other processes of the rank gain comes on top.
uint64_t JobGain::OfRank(const std::string& name, const RankPart& part,
                         const std::vector<const PriceSums*>& prices) const {
  const auto joint = [&part](uint32_t set) {
    return set < part.joint_ns.size() ? part.joint_ns[set] : 0;
  };
  uint32_t all = 0;
  uint64_t best = 0, of_others = 0;
  for (const PriceSums* price : prices) {
    const auto its = price->of_ranks.find(name);
    if (its == price->of_ranks.end()) continue;
    const RankGain& gain = its->second;
    best = std::max(best, gain.gain_ns);
    if (gain.joint == 0) continue;
    all |= gain.joint;
    of_others += gain.gain_ns - std::min(gain.gain_ns, joint(gain.joint));
  }
  return std::max(best, joint(all) + of_others);
}

// `gains` by name.
uint64_t JobGain::OfGains(const Gains& gains, std::string_view late_rank) const {
  uint64_t most = 0, before = 0, after = 0, in_turn = 0;
  for (const auto& [name, gained] : gains) most = std::max(most, gained);
  if (ranks_.empty()) return most;
  auto its = gains.begin();
  for (const auto& [name, rank] : ranks_) {
    while (its != gains.end() && its->first < name) ++its;
    const bool is_late = name == late_rank;
    const uint64_t gained = its == gains.end() || its->first != name ? 0 : its->second;
    const uint64_t own_ns = rank.own_ns - std::min(rank.own_ns, gained);
    before = std::max(before, rank.own_ns);
    if (!is_late) after = std::max(after, own_ns);  // it has no more to do than the others
    in_turn += is_late ? rank.late_ns : std::min(gained, rank.late_ns);
  }
  return std::min(std::max(before - after, in_turn), length_ns_);
}

}  // namespace syncline
