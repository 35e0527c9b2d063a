// SPDX-License-Identifier: Apache-2.0
// Counts what threads do while others wait.
#include "analysis/prices/replay_clocks.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace syncline {
namespace {

constexpr uint64_t kLongWaitNs = 5000;  // in a shorter one nobody else may have had the time
constexpr uint32_t kMostAfter = 64;     // points after a call's begin
constexpr uint32_t kLeastWaits = 50;    // of a thread that submits nothing: fewer are chance

class TurnTakers {
 public:
  explicit TurnTakers(const std::vector<ReplayPoint>& points) : points_(points) {
    for (const ReplayPoint& point : points) {
      if (numbers_.size() < kMostTurnTakers) numbers_.try_emplace(point.tid, numbers_.size());
    }
    seen_.resize(numbers_.size());
    beside_.resize(numbers_.size() * numbers_.size());
  }

  void Count() {
    for (size_t i = 0; i < points_.size(); ++i) {
      const ReplayPoint& point = points_[i];
      const auto own = numbers_.find(point.tid);
      if (own == numbers_.end()) continue;
      const bool submits = point.kind == PointKind::kSubmit;
      const bool waits = !submits && point.end_ns >= point.begin_ns + kLongWaitNs;
      Seen& seen = seen_[own->second];
      ++seen.points;
      seen.submits += submits ? 1 : 0;
      seen.waits += waits ? 1 : 0;
      const size_t last = std::min(points_.size(), i + kMostAfter);
      for (size_t next = i + 1; next < last && points_[next].begin_ns < point.end_ns; ++next) {
        const auto other = numbers_.find(points_[next].tid);
        if (other == numbers_.end() || other == own) continue;
        Beside& beside = beside_[own->second * numbers_.size() + other->second];
        ++beside.points;
        beside.waits += waits ? 1 : 0;
        break;  // one a call: what the first one is beside is enough
      }
    }
  }

  // By thread, the number of its group. Those that submit most come first: they are known best.
  std::unordered_map<uint32_t, uint32_t> Groups() const {
    std::vector<uint32_t> order(seen_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [this](uint32_t a, uint32_t b) {
      return seen_[a].submits > seen_[b].submits;
    });
    std::vector<std::vector<uint32_t>> groups;
    std::vector<uint32_t> of_thread(seen_.size());
    for (const uint32_t thread : order) {
      auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& members) {
        return std::all_of(members.begin(), members.end(),
                           [&](uint32_t member) { return TakeTurns(thread, member); });
      });
      if (group == groups.end()) group = groups.insert(group, std::vector<uint32_t>());
      group->push_back(thread);
      of_thread[thread] = static_cast<uint32_t>(group - groups.begin());
    }
    std::unordered_map<uint32_t, uint32_t> by_tid;
    for (const auto& [tid, number] : numbers_) by_tid[tid] = of_thread[number];
    return by_tid;
  }

 private:
  // One in a hundred may be a mistake of the clocks, or the begin of a thread's life.
  bool TakeTurns(uint32_t a, uint32_t b) const {
    const Beside &of_a = beside_[a * seen_.size() + b], &of_b = beside_[b * seen_.size() + a];
    const Seen &one = seen_[a], &other = seen_[b];
    const auto is_rare = [](uint64_t together, uint64_t all) { return together * 100 <= all; };
    return one.HoldsOthersUp() && other.HoldsOthersUp() &&
           is_rare(uint64_t{of_a.waits} + of_b.waits, uint64_t{one.waits} + other.waits) &&
           is_rare(uint64_t{of_a.points} + of_b.points, std::min(one.points, other.points));
  }

  struct Seen {
    uint32_t points = 0;
    uint32_t submits = 0;
    uint32_t waits = 0;  // long ones
    bool HoldsOthersUp() const { return submits != 0 || waits >= kLeastWaits; }
  };
  // Within how many of a thread's calls another one did something.
  struct Beside {
    uint32_t points = 0;
    uint32_t waits = 0;
  };

  const std::vector<ReplayPoint>& points_;
  std::unordered_map<uint32_t, uint32_t> numbers_;  // by tid
  std::vector<Seen> seen_;
  std::vector<Beside> beside_;  // [within whose call][does something]
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
