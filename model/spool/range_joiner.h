// SPDX-License-Identifier: Apache-2.0
// Joins the beginnings and ends of start/end ranges, which may come from different threads and in
// any order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace syncline {

// A range whose beginning was seen. Times are nanoseconds on the job's line.
template <typename What>
struct StartedRange {
  uint64_t begin = 0;
  uint64_t limit = UINT64_MAX;  // it ended before the next range of its lane began
  uint16_t lane = 0;
  What what;
};

// A collector keeps at most 4096 open at once; more than 65536 here is a hostile file and is
// counted.
template <typename What>
class RangeJoiner {
 public:
  struct Joined {
    StartedRange<What> range;
    uint64_t end;
  };

  // True: its end had come before, `out` is complete.
  bool Start(uint64_t id, StartedRange<What> range, Joined* out);
  // True: its beginning had come before, `out` is complete.
  bool End(uint64_t id, uint64_t end, Joined* out);

  // The ranges that never ended, in the order of their beginnings; empties this.
  std::vector<StartedRange<What>> TakeOpen();

  uint64_t ends_without_start() const { return early_ends_.size() + dropped_ends_; }
  uint64_t dropped_starts() const { return dropped_starts_; }

 private:
  static constexpr size_t kMaxHalves = 1 << 16;

  void LimitOthers(StartedRange<What>* range);

  std::unordered_map<uint64_t, StartedRange<What>> started_;
  std::unordered_map<uint64_t, uint64_t> early_ends_;
  std::unordered_map<uint16_t, std::vector<uint64_t>> lanes_;  // ids of started_
  uint64_t dropped_ends_ = 0;
  uint64_t dropped_starts_ = 0;
};

// Ranges of one lane do not overlap. If the end of one was lost, the beginning of the next bounds
// it.
template <typename What>
void RangeJoiner<What>::LimitOthers(StartedRange<What>* range) {
  for (const uint64_t other_id : lanes_[range->lane]) {
    auto found = started_.find(other_id);
    if (found == started_.end()) continue;
    StartedRange<What>& other = found->second;
    if (other.begin <= range->begin) {
      other.limit = std::min(other.limit, range->begin);
    } else {
      range->limit = std::min(range->limit, other.begin);
    }
  }
}

template <typename What>
bool RangeJoiner<What>::Start(uint64_t id, StartedRange<What> range, Joined* out) {
  LimitOthers(&range);
  auto early = early_ends_.find(id);
  if (early != early_ends_.end()) {
    const uint64_t end = std::max(range.begin, early->second);
    early_ends_.erase(early);
    *out = {std::move(range), end};
    return true;
  }
  if (started_.size() >= kMaxHalves || started_.contains(id)) {
    ++dropped_starts_;
    return false;
  }
  lanes_[range.lane].push_back(id);
  started_.emplace(id, std::move(range));
  return false;
}

template <typename What>
bool RangeJoiner<What>::End(uint64_t id, uint64_t end, Joined* out) {
  auto found = started_.find(id);
  if (found == started_.end()) {
    if (early_ends_.size() >= kMaxHalves || !early_ends_.try_emplace(id, end).second)
      ++dropped_ends_;
    return false;
  }
  out->range = std::move(found->second);
  out->end = std::max(out->range.begin, std::min(end, out->range.limit));
  started_.erase(found);
  std::vector<uint64_t>& lane = lanes_[out->range.lane];
  std::erase(lane, id);
  return true;
}

template <typename What>
std::vector<StartedRange<What>> RangeJoiner<What>::TakeOpen() {
  std::vector<StartedRange<What>> open;
  for (auto& [id, range] : started_) open.push_back(std::move(range));
  started_.clear();
  lanes_.clear();
  std::sort(open.begin(), open.end(), [](const StartedRange<What>& a, const StartedRange<What>& b) {
    return a.begin < b.begin;
  });
  return open;
}

}  // namespace syncline
