// SPDX-License-Identifier: Apache-2.0
// Periods of which something is not known, and whether a stretch of time meets one.
#pragma once

#include <cstdint>
#include <vector>

namespace syncline {

struct CoverageGap {
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
};

// Puts them in order and joins those that meet.
void JoinCoverageGaps(std::vector<CoverageGap>* periods);

// Whether one of the joined periods, or a part of it, lies between these times.
bool MeetsCoverageGap(const std::vector<CoverageGap>& periods, uint64_t from_ns, uint64_t until_ns);

// How much of a stretch the joined periods cover.
uint64_t CoveredBy(const std::vector<CoverageGap>& periods, uint64_t from_ns, uint64_t until_ns);

}  // namespace syncline
