// SPDX-License-Identifier: Apache-2.0
// Nanoseconds by rank, side by side in memory: of a job with a thousand ranks a million of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace syncline {

class RankTimes {
 public:
  using Time = std::pair<int, uint64_t>;

  RankTimes() = default;
  RankTimes(std::initializer_list<Time> times) {
    for (const auto& [rank, ns] : times) (*this)[rank] += ns;
  }
  // In any order; those of a rank are added up.
  explicit RankTimes(std::vector<Time> times) {
    std::sort(times.begin(), times.end());
    for (const auto& [rank, ns] : times) {
      if (times_.empty() || times_.back().first != rank) times_.emplace_back(rank, 0);
      times_.back().second += ns;
    }
  }

  // Moves those of higher ranks if the rank is new.
  uint64_t& operator[](int rank) {
    auto at = Place(rank);
    if (at == times_.end() || at->first != rank) at = times_.insert(at, {rank, 0});
    return at->second;
  }
  // 0: none.
  uint64_t Of(int rank) const {
    const auto at = std::lower_bound(times_.begin(), times_.end(), Time{rank, 0});
    return at == times_.end() || at->first != rank ? 0 : at->second;
  }
  void Add(const RankTimes& other) {
    if (times_.empty()) {
      times_ = other.times_;
      return;
    }
    for (const auto& [rank, ns] : other.times_) (*this)[rank] += ns;
  }

  auto begin() const { return times_.begin(); }
  auto end() const { return times_.end(); }
  bool operator==(const RankTimes&) const = default;

 private:
  std::vector<Time>::iterator Place(int rank) {
    return std::lower_bound(times_.begin(), times_.end(), Time{rank, 0});
  }

  std::vector<Time> times_;
};

}  // namespace syncline
