// SPDX-License-Identifier: Apache-2.0
// A sorted list without overlaps.
#include "model/devices/coverage_gaps.h"

#include <algorithm>

namespace syncline {

void JoinCoverageGaps(std::vector<CoverageGap>* periods) {
  std::sort(periods->begin(), periods->end(),
            [](const CoverageGap& a, const CoverageGap& b) { return a.begin_ns < b.begin_ns; });
  size_t kept = 0;
  for (const CoverageGap& period : *periods) {
    if (kept != 0 && period.begin_ns <= (*periods)[kept - 1].end_ns) {
      CoverageGap& last = (*periods)[kept - 1];
      last.end_ns = std::max(last.end_ns, period.end_ns);
    } else {
      (*periods)[kept++] = {period.begin_ns, std::max(period.begin_ns, period.end_ns)};
    }
  }
  periods->resize(kept);
}

bool MeetsCoverageGap(const std::vector<CoverageGap>& periods, uint64_t from_ns,
                      uint64_t until_ns) {
  const auto next =
      std::partition_point(periods.begin(), periods.end(),
                           [&](const CoverageGap& period) { return period.end_ns <= from_ns; });
  return next != periods.end() && next->begin_ns < until_ns;
}

uint64_t CoveredBy(const std::vector<CoverageGap>& periods, uint64_t from_ns, uint64_t until_ns) {
  auto next = std::partition_point(periods.begin(), periods.end(), [&](const CoverageGap& period) {
    return period.end_ns <= from_ns;
  });
  uint64_t covered = 0;
  for (; next != periods.end() && next->begin_ns < until_ns; ++next)
    covered += std::min(next->end_ns, until_ns) - std::max(next->begin_ns, from_ns);
  return covered;
}

}  // namespace syncline
