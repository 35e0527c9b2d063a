// SPDX-License-Identifier: Apache-2.0
// First fit; a lane is a short sorted list of what stands on it.
#include "writers/chrome/layout/lanes.h"

#include <algorithm>

namespace syncline {
namespace {

constexpr size_t kRemembered = 4096;
constexpr size_t kMaxLanes = 64;  // beyond them slices overlap
// Below what clocks of devices are known to. Of a short operation a quarter, so that some is left.
constexpr uint64_t kSlackNs = 64;

}  // namespace

bool LaneAssigner::PlaceIn(Lane* lane, uint64_t begin, uint64_t end) {
  const uint64_t slack = std::min(kSlackNs, (end - begin) / 4);
  auto& taken = lane->taken;
  const auto next = std::upper_bound(taken.begin(), taken.end(), std::pair(begin, UINT64_MAX));
  const uint64_t before = next == taken.begin() ? lane->floor : std::prev(next)->second;
  const uint64_t after = next == taken.end() ? UINT64_MAX : next->first;
  if (before > begin + slack || after < end - slack) return false;
  late_ = before < begin ? 0 : before - begin;
  early_ = after > end ? 0 : end - after;
  taken.insert(next, {std::max(begin, before), std::min(end, after)});
  if (taken.size() > 2 * kRemembered) {  // many at once: each of the others has to move
    lane->floor = taken[kRemembered - 1].second;
    taken.erase(taken.begin(), taken.begin() + kRemembered);
  }
  return true;
}

uint32_t LaneAssigner::Place(uint64_t begin, uint64_t end) {
  for (uint32_t i = 0; i < lanes_.size(); ++i) {
    if (PlaceIn(&lanes_[i], begin, end)) return i;
  }
  late_ = early_ = 0;
  if (lanes_.size() < kMaxLanes) {
    lanes_.emplace_back();
    PlaceIn(&lanes_.back(), begin, end);
  }
  return static_cast<uint32_t>(lanes_.size()) - 1;
}

}  // namespace syncline
