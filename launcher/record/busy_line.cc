// SPDX-License-Identifier: Apache-2.0
// Operations come nearly in order: each is looked for from the end.
#include "launcher/record/busy_line.h"

#include <algorithm>
#include <cmath>

namespace syncline {

void BusyLine::Add(uint64_t begin, uint64_t end) {
  if (begin < exact_from_) {
    spoiled_until_ = std::max(spoiled_until_, end);
    begin = exact_from_;
  }
  if (end <= begin) return;
  size_t at = stretches_.size();
  while (at > 0 && stretches_[at - 1].begin > end) --at;
  size_t first = at;
  while (first > 0 && stretches_[first - 1].end >= begin &&
         stretches_[first - 1].begin >= exact_from_) {
    --first;
    begin = std::min(begin, stretches_[first].begin);
    end = std::max(end, stretches_[first].end);
  }
  const auto place = stretches_.begin() + static_cast<std::ptrdiff_t>(first);
  if (first == at) {
    stretches_.insert(place, {begin, end, end - begin});
  } else {
    *place = {begin, end, end - begin};
    stretches_.erase(place + 1, stretches_.begin() + static_cast<std::ptrdiff_t>(at));
  }
  if (stretches_.size() > kMost) Coarsen();
}

// Pairs of the older half become one each.
void BusyLine::Coarsen() {
  constexpr size_t kHalf = kMost / 2;
  for (size_t i = 0; i < kHalf / 2; ++i) {
    const Stretch &one = stretches_[2 * i], &next = stretches_[2 * i + 1];
    stretches_[i] = {one.begin, next.end, one.busy + next.busy};
  }
  exact_from_ = std::max(exact_from_, stretches_[kHalf - 1].end);
  stretches_.erase(stretches_.begin() + kHalf / 2, stretches_.begin() + kHalf);
}

uint64_t BusyLine::Within(uint64_t begin, uint64_t end) const {
  double busy = 0;
  auto at = std::partition_point(stretches_.begin(), stretches_.end(),
                                 [begin](const Stretch& one) { return one.end <= begin; });
  for (; at != stretches_.end() && at->begin < end; ++at) {
    const uint64_t part = std::min(at->end, end) - std::max(at->begin, begin);
    busy += static_cast<double>(at->busy) * static_cast<double>(part) /
            static_cast<double>(at->end - at->begin);
  }
  return static_cast<uint64_t>(std::llround(busy));
}

}  // namespace syncline
