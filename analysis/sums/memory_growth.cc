// SPDX-License-Identifier: Apache-2.0
// Each block belongs to the step in which it was taken.
#include "analysis/sums/memory_growth.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/stable_sort.h"

namespace syncline {
namespace {

constexpr size_t kFirstCounted = 1, kLastUncounted = 2;
constexpr size_t kLeastCounted = 3;  // steps

struct Grown {
  uint64_t bytes = 0;
  uint64_t count = 0;
  uint64_t steps = 0;
  size_t last = SIZE_MAX;  // step
};

bool IsInMost(uint64_t steps, uint64_t of) { return 4 * steps >= 3 * of; }

}  // namespace

std::vector<MemoryGrowth> GrowthOf(const std::vector<BlockLife>& lives,
                                   const std::vector<CoverageGap>& steps,
                                   const MemoryEvents& texts) {
  if (steps.size() < kFirstCounted + kLeastCounted + kLastUncounted) return {};
  const uint64_t end_ns = steps.back().end_ns;
  const size_t last = steps.size() - kLastUncounted;
  const uint64_t of_steps = last - kFirstCounted;
  std::map<std::pair<uint32_t, uint32_t>, Grown> grown;
  size_t step = kFirstCounted;
  for (const BlockLife& block : lives) {
    if (block.begin_ns < steps[kFirstCounted].begin_ns) continue;
    if (block.begin_ns >= steps[last].begin_ns) break;
    while (step + 1 < last && steps[step + 1].begin_ns <= block.begin_ns) ++step;
    if (block.end_ns < end_ns) continue;
    Grown& of = grown[{block.where, block.operation}];
    of.bytes += block.bytes;
    ++of.count;
    of.steps += of.last != step ? 1 : 0;
    of.last = step;
  }
  std::vector<MemoryGrowth> found;
  for (const auto& [place, of] : grown) {
    if (!IsInMost(of.steps, of_steps)) continue;
    found.push_back({texts.TextOf(place.first), texts.TextOf(place.second), of.bytes, of.count,
                     of.steps, of_steps});
  }
  StableSort(&found,
             [](const MemoryGrowth& a, const MemoryGrowth& b) { return a.bytes > b.bytes; });
  if (found.size() > kMostGrowths) found.resize(kMostGrowths);
  return found;
}

MemoryPieces PiecesOf(const std::vector<MemoryEvent>& events, uint64_t small_block,
                      const MemoryEvents& texts) {
  MemoryPieces pieces;
  const MemoryEvent* before = nullptr;
  for (const MemoryEvent& event : events) {
    const MemoryEvent* const last = std::exchange(before, &event);
    if (last == nullptr || event.bytes <= 0 || event.is_out_of_memory || event.held <= last->held ||
        last->held < last->allocated)
      continue;
    const uint64_t free = last->held - last->allocated;
    const auto needed = static_cast<uint64_t>(event.bytes);
    if (free < needed || needed <= small_block) continue;
    ++pieces.times;
    pieces.asked += event.held - last->held;
    if (free < pieces.free) continue;
    pieces.free = free;
    pieces.needed = needed;
    pieces.held = last->held;
    pieces.at_ns = event.at_ns;
    pieces.where = texts.TextOf(event.where);
  }
  return pieces;
}

}  // namespace syncline
