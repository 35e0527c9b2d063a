// SPDX-License-Identifier: Apache-2.0
// Each range hands what lies within it to the range around it, without what is recursion then.
#include "analysis/sums/swapped_ranges.h"

#include <algorithm>
#include <utility>

namespace syncline {

void SwappedRanges::Add(uint64_t stream, uint32_t name, uint32_t depth) {
  if (depth >= kDeepest) return;
  std::vector<Level>& levels = threads_[stream];
  if (levels.size() < depth + size_t{2}) levels.resize(depth + size_t{2});
  const Level inner = std::exchange(levels[depth + 1], {});
  Level& level = levels[depth];
  if (level.names.size() < kMostNames) level.names.insert(name);
  for (const uint32_t within : inner.names) {
    if (within != name && (level.pairs.size() < kMostNames || level.pairs.contains({name, within})))
      ++level.pairs[{name, within}];
  }
  const auto settle = [&](const Nested& nested, uint64_t times) {
    if (nested.inner == name) return;  // it is around both: recursion
    if (level.settled.size() < kMostNames || level.settled.contains(nested))
      level.settled[nested] += times;
  };
  for (const auto& [pair, times] : inner.pairs) settle({name, pair.first, pair.second}, times);
  for (const auto& [nested, times] : inner.settled) settle(nested, times);
  if (depth != 0) return;
  const auto count = [&](const Nested& nested, uint64_t times) {
    const std::pair<uint64_t, Nested> key(stream, nested);
    if (counts_.size() < kMostNames * kMostNames || counts_.contains(key)) counts_[key] += times;
  };
  for (const auto& [pair, times] : level.pairs) count({kNothing, pair.first, pair.second}, times);
  for (const auto& [nested, times] : level.settled) count(nested, times);
  level = {};
}

std::optional<SwappedRanges::Swap> SwappedRanges::Most() const {
  std::optional<Swap> most;
  for (const auto& [key, times] : counts_) {
    const auto& [stream, nested] = key;
    const auto other = counts_.find({stream, {nested.around, nested.inner, nested.outer}});
    if (other == counts_.end() || other->second > times) continue;
    const uint64_t other_way = other->second;
    if (other_way < kLeastTimes || other_way < times / kLeastShare) continue;
    if (!most || other_way > most->other_way) most = {nested.outer, nested.inner, times, other_way};
  }
  return most;
}

}  // namespace syncline
