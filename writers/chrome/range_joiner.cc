// SPDX-License-Identifier: Apache-2.0
// The tables of halves.
#include "writers/chrome/range_joiner.h"

#include <algorithm>
#include <utility>

namespace syncline {
namespace {

constexpr size_t kMaxHalves = 1 << 16;
}  // namespace

// Ranges of one lane do not overlap. If the end of one was lost, the beginning of the next bounds
// it.
void RangeJoiner::LimitOthers(StartedRange* range) {
  for (const uint64_t other_id : lanes_[range->lane]) {
    auto found = started_.find(other_id);
    if (found == started_.end()) continue;
    StartedRange& other = found->second;
    if (other.begin <= range->begin) {
      other.limit = std::min(other.limit, range->begin);
    } else {
      range->limit = std::min(range->limit, other.begin);
    }
  }
}

bool RangeJoiner::Start(uint64_t id, StartedRange range, Joined* out) {
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

bool RangeJoiner::End(uint64_t id, uint64_t end, Joined* out) {
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

std::vector<StartedRange> RangeJoiner::TakeOpen() {
  std::vector<StartedRange> open;
  for (auto& [id, range] : started_) open.push_back(std::move(range));
  started_.clear();
  lanes_.clear();
  std::sort(open.begin(), open.end(),
            [](const StartedRange& a, const StartedRange& b) { return a.begin < b.begin; });
  return open;
}

}  // namespace syncline
