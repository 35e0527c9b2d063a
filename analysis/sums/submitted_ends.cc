// SPDX-License-Identifier: Apache-2.0
// A sorted row.
#include "analysis/sums/submitted_ends.h"

#include <algorithm>

namespace syncline {

void SubmittedEnds::Add(uint64_t begin_ns, uint64_t end_ns) {
  if (submitted_.size() >= most_ && most_ >= 2) {
    Finish();
    const size_t pairs = submitted_.size() / 2;
    for (size_t i = 0; i < pairs; ++i) {
      const Submitted &first = submitted_[2 * i], &second = submitted_[2 * i + 1];
      submitted_[i] = {first.begin_ns, std::max(first.end_ns, second.end_ns)};
    }
    submitted_.resize(pairs);
  }
  submitted_.push_back({begin_ns, end_ns});
}

void SubmittedEnds::Finish() {
  std::sort(submitted_.begin(), submitted_.end(),
            [](const Submitted& a, const Submitted& b) { return a.begin_ns < b.begin_ns; });
}

uint64_t SubmittedEnds::LatestBetween(uint64_t begin_ns, uint64_t end_ns, uint64_t most_ns) const {
  auto at = std::partition_point(submitted_.begin(), submitted_.end(),
                                 [&](const Submitted& one) { return one.begin_ns < begin_ns; });
  uint64_t latest = 0;
  for (; at != submitted_.end() && at->begin_ns < end_ns; ++at) {
    if (at->end_ns <= most_ns) latest = std::max(latest, at->end_ns);
  }
  return latest;
}

}  // namespace syncline
