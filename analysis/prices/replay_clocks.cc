// SPDX-License-Identifier: Apache-2.0
// Counts what threads do while others wait.
#include "analysis/prices/replay_clocks.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace syncline {
namespace {

constexpr uint64_t kLongWaitNs = 5000;  // in a shorter one nobody else may have had the time
constexpr uint32_t kMostAfter = 64;     // points after a wait's begin

class TurnTakers {
 public:
  explicit TurnTakers(const std::vector<ReplayPoint>& points) : points_(points) {
    for (const ReplayPoint& point : points) {
      if (numbers_.size() < kMostTurnTakers) numbers_.try_emplace(point.tid, numbers_.size());
    }
    beside_.resize(numbers_.size() * numbers_.size());
    waits_.resize(numbers_.size());
  }

  void Count() {
    for (size_t i = 0; i < points_.size(); ++i) {
      const ReplayPoint& wait = points_[i];
      if (wait.kind == PointKind::kSubmit || wait.end_ns < wait.begin_ns + kLongWaitNs) continue;
      const auto own = numbers_.find(wait.tid);
      if (own == numbers_.end()) continue;
      ++waits_[own->second];
      const size_t last = std::min(points_.size(), i + kMostAfter);
      for (size_t next = i + 1; next < last && points_[next].begin_ns < wait.end_ns; ++next) {
        const auto other = numbers_.find(points_[next].tid);
        if (other == numbers_.end() || other == own) continue;
        ++beside_[own->second * numbers_.size() + other->second];
        break;  // one a wait: what the first one is beside is enough
      }
    }
  }

  // By thread; a group is the number of its first thread.
  std::unordered_map<uint32_t, uint32_t> Groups() const {
    std::vector<uint32_t> group(numbers_.size());
    for (uint32_t i = 0; i < group.size(); ++i) {
      group[i] = i;
      for (uint32_t other = 0; other < i; ++other) {
        if (group[other] == other && FitsAll(i, other, group)) group[i] = other;
        if (group[i] != i) break;
      }
    }
    std::unordered_map<uint32_t, uint32_t> groups;
    for (const auto& [tid, number] : numbers_) groups[tid] = group[number];
    return groups;
  }

 private:
  // `thread` takes turns with each of those before it that are of `wanted`.
  bool FitsAll(uint32_t thread, uint32_t wanted, const std::vector<uint32_t>& group) const {
    for (uint32_t other = 0; other < thread; ++other) {
      if (group[other] == wanted && !TakeTurns(thread, other)) return false;
    }
    return true;
  }

  // One in a hundred may be a mistake of the clocks, or the begin of a thread's life.
  bool TakeTurns(uint32_t a, uint32_t b) const {
    const uint64_t together =
        uint64_t{beside_[a * waits_.size() + b]} + beside_[b * waits_.size() + a];
    return together * 100 <= uint64_t{waits_[a]} + waits_[b];
  }

  const std::vector<ReplayPoint>& points_;
  std::unordered_map<uint32_t, uint32_t> numbers_;  // by tid
  std::vector<uint32_t> beside_;                    // [waits][does something]
  std::vector<uint32_t> waits_;                     // long ones
};

}  // namespace

uint32_t AssignClocks(std::vector<ReplayPoint>* points) {
  TurnTakers takers(*points);
  takers.Count();
  std::unordered_map<uint32_t, uint32_t> groups = takers.Groups();
  std::unordered_map<uint32_t, uint32_t> clocks;  // by group
  uint32_t next = 0, beyond = kMostTurnTakers;
  for (ReplayPoint& point : *points) {
    const auto [group, is_new] = groups.try_emplace(point.tid, beyond);
    if (is_new) ++beyond;
    const auto [clock, is_first] = clocks.try_emplace(group->second, next);
    if (is_first) ++next;
    point.clock = clock->second;
  }
  return next;
}

}  // namespace syncline
