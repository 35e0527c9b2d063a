// SPDX-License-Identifier: Apache-2.0
// The moment before the library's own range stands for a message.
#include "analysis/message_ranges.h"

#include <map>
#include <string>

#include "model/findings/run_findings.h"

namespace syncline {
namespace {

constexpr size_t kMostAsked = 1 << 16;   // messages of a process
constexpr size_t kMostRanges = 1 << 12;  // of a rank; those beyond share the last one

}  // namespace

void MessageRanges::Ask(ProgramRun* run, const RankCollectives& rank, RangeStacks* stacks) {
  for (size_t i = 0; i < rank.messages.size() && asked_.size() < kMostAsked; ++i) {
    const Message& message = rank.messages[i];
    if (message.process != run->index || message.sequence == 0) continue;
    asked_.emplace_back(i, stacks->Ask(message.tid, run->timeline.Convert(message.asked) - 1));
  }
}

void MessageRanges::FillIn(RangeStacks* stacks, RankCollectives* rank) const {
  if (asked_.empty()) return;
  std::vector<std::string>& names = rank->message_ranges;
  if (names.empty()) names.emplace_back();  // of those that were not asked about
  std::map<std::string, uint32_t> numbers;
  for (uint32_t i = 0; i < names.size(); ++i) numbers.emplace(names[i], i);
  for (const auto& [message, moment] : asked_) {
    std::string name = NumberFamily(stacks->StackOf(moment));
    if (numbers.size() >= kMostRanges && !numbers.contains(name)) name = "(other ranges)";
    const auto [at, added] = numbers.try_emplace(name, static_cast<uint32_t>(names.size()));
    if (added) names.push_back(name);
    rank->messages[message].range = at->second;
  }
}

}  // namespace syncline
