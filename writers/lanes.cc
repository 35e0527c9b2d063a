// SPDX-License-Identifier: Apache-2.0
// First fit; a lane is a short sorted list of what stands on it.
#include "writers/lanes.h"

#include <algorithm>

namespace syncline {
namespace {

constexpr size_t kRemembered = 64;
constexpr size_t kMaxLanes = 64;  // beyond them slices overlap

}  // namespace

bool LaneAssigner::PlaceIn(Lane* lane, uint64_t begin, uint64_t end) {
  if (begin < lane->floor) return false;
  auto& taken = lane->taken;
  const auto next = std::upper_bound(taken.begin(), taken.end(), std::pair(begin, UINT64_MAX));
  if (next != taken.end() && next->first < end) return false;
  const uint64_t before = next == taken.begin() ? lane->floor : std::prev(next)->second;
  if (before > begin) return false;
  touches_before_ = before == begin && begin != 0;
  touches_after_ = next != taken.end() && next->first == end;
  taken.insert(next, {begin, end});
  if (taken.size() > kRemembered) {
    lane->floor = taken.front().second;
    taken.erase(taken.begin());
  }
  return true;
}

uint32_t LaneAssigner::Place(uint64_t begin, uint64_t end) {
  for (uint32_t i = 0; i < lanes_.size(); ++i) {
    if (PlaceIn(&lanes_[i], begin, end)) return i;
  }
  touches_before_ = touches_after_ = false;
  if (lanes_.size() < kMaxLanes) {
    lanes_.emplace_back();
    PlaceIn(&lanes_.back(), begin, end);
  }
  return static_cast<uint32_t>(lanes_.size()) - 1;
}

}  // namespace syncline
