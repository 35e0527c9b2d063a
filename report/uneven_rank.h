// SPDX-License-Identifier: Apache-2.0
// The rank whose devices compute more than those of the others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/findings/run_findings.h"

namespace syncline {

// The mean: less is not told.
inline constexpr uint64_t kLeastBeyondPercent = 10;

struct UnevenRank {
  std::string name;  // "rank-3"
  // For how long each of its devices computes beyond the mean of all ranks, and beyond that of the
  // others.
  uint64_t beyond_mean_ns = 0;
  uint64_t beyond_others_ns = 0;
};

// The rank with the most to compute, if that is a tenth beyond the mean and more. Of ranks that
// lost records or ended early nobody knows what they computed: they do not count. Waiting within
// captured graphs is no computing.
std::optional<UnevenRank> FindUnevenRank(const RunFindings& findings, const RankMeetings& meetings);

}  // namespace syncline
