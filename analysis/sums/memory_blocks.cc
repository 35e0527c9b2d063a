// SPDX-License-Identifier: Apache-2.0
// A block is known by its address, until that is given back or taken again.
#include "analysis/sums/memory_blocks.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace syncline {
namespace {

// How many backwards ended while it stood.
size_t EndsWithin(const BlockLife& block, const std::vector<CoverageGap>& backward) {
  const auto ends_by = [&](uint64_t ns) {
    return std::partition_point(backward.begin(), backward.end(),
                                [ns](const CoverageGap& span) { return span.end_ns <= ns; });
  };
  return static_cast<size_t>(ends_by(block.end_ns) - ends_by(block.begin_ns));
}

}  // namespace

std::vector<BlockLife> LivesOf(const std::vector<MemoryEvent>& events,
                               const std::vector<CoverageGap>& closed) {
  std::vector<BlockLife> lives;
  std::unordered_map<uint64_t, size_t> standing;  // by address
  auto pause = closed.begin();
  for (const MemoryEvent& event : events) {
    for (; pause != closed.end() && pause->begin_ns <= event.at_ns; ++pause) {
      for (const auto& [address, index] : standing) lives[index].end_ns = pause->begin_ns;
      standing.clear();
    }
    const auto before = standing.find(event.address);
    if (before != standing.end() && !event.is_out_of_memory) {
      lives[before->second].end_ns = event.at_ns;
      standing.erase(before);
    }
    if (event.bytes <= 0 || event.is_out_of_memory) continue;
    standing[event.address] = lives.size();
    lives.push_back({event.at_ns, UINT64_MAX, static_cast<uint64_t>(event.bytes), event.where,
                     event.operation, event.phase, event.phase_end_ns});
  }
  return lives;
}

BlockClass ClassOf(const BlockLife& block, const std::vector<CoverageGap>& backward) {
  if (backward.empty()) return BlockClass::kUnknown;
  const bool outlives = block.end_ns > block.phase_end_ns;
  switch (block.phase) {
    case TrainingPhase::kOptimizer:
      return outlives ? BlockClass::kState : BlockClass::kTemporary;
    case TrainingPhase::kBackward:
      return outlives ? BlockClass::kGradients : BlockClass::kTemporary;
    case TrainingPhase::kOther:
      break;
  }
  const uint64_t until_ns = backward.size() > 1 ? backward[1].end_ns : UINT64_MAX - 1;
  if (block.begin_ns < backward.front().begin_ns && block.end_ns > until_ns)
    return BlockClass::kWeights;
  return EndsWithin(block, backward) <= 1 ? BlockClass::kActivations : BlockClass::kKept;
}

MemoryMoment StandingAt(const MemoryEvent& event, const std::vector<BlockLife>& lives,
                        const MemoryEvents& texts) {
  using Place = std::tuple<uint32_t, uint32_t, BlockClass>;
  std::map<Place, std::pair<uint64_t, uint64_t>> sums;  // bytes, blocks
  uint64_t known = 0;
  for (const BlockLife& block : lives) {
    if (block.begin_ns > event.at_ns || block.end_ns <= event.at_ns) continue;
    auto& [bytes, count] = sums[{block.where, block.operation, ClassOf(block, texts.backward())}];
    bytes += block.bytes;
    ++count;
    known += block.bytes;
  }
  MemoryMoment moment;
  moment.at_ns = event.at_ns;
  moment.allocated = event.allocated;
  moment.held = event.held;
  moment.unknown = event.allocated - std::min(event.allocated, known);
  for (const auto& [place, sum] : sums) {
    const auto& [where, operation, block_class] = place;
    moment.groups.push_back(
        {texts.TextOf(where), texts.TextOf(operation), block_class, sum.first, sum.second});
  }
  std::stable_sort(moment.groups.begin(), moment.groups.end(),
                   [](const MemoryGroup& a, const MemoryGroup& b) { return a.bytes > b.bytes; });
  if (moment.groups.size() <= kMostMemoryGroups) return moment;
  std::map<BlockClass, MemoryGroup> others;
  for (size_t i = kMostMemoryGroups; i < moment.groups.size(); ++i) {
    const MemoryGroup& group = moment.groups[i];
    MemoryGroup& other = others[group.block_class];
    other = {kOtherPlaces, "", group.block_class, other.bytes + group.bytes,
             other.count + group.count};
  }
  moment.groups.resize(kMostMemoryGroups);
  for (auto& [block_class, other] : others) moment.groups.push_back(std::move(other));
  return moment;
}

}  // namespace syncline
