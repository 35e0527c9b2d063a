// SPDX-License-Identifier: Apache-2.0
// The time that each rank's devices compute, against the mean.
#include "report/uneven_rank.h"

#include <algorithm>

#include "report/lost_records.h"

namespace syncline {
namespace {

// A device's, on an average; none: not known, or it has none.
std::optional<uint64_t> ComputingNs(const RankPart& part, const RankMeetings& meetings) {
  const bool is_cut =
      LostOf(part).Matters() || !part.endings.empty() || part.analysed_until_ns != 0;
  if (part.rank < 0 || is_cut) return std::nullopt;
  uint64_t computing = 0, seen = 0;
  for (const DeviceUse& use : part.devices) {
    computing += use.computing_ns;
    seen += use.SeenNs();
  }
  if (seen == 0) return std::nullopt;
  const auto met = meetings.ranks.find(part.rank);
  if (met != meetings.ranks.end())
    computing -= std::min(computing, met->second.waited_in_graphs_ns);
  return computing / part.devices.size();
}

}  // namespace

std::optional<UnevenRank> FindUnevenRank(const RunFindings& findings,
                                         const RankMeetings& meetings) {
  uint64_t most = 0, sum = 0, ranks = 0;
  UnevenRank uneven;
  for (const auto& [name, part] : findings.ranks) {
    const std::optional<uint64_t> computing = ComputingNs(part, meetings);
    if (!computing) continue;
    sum += *computing;
    ++ranks;
    if (*computing <= most) continue;
    most = *computing;
    uneven.name = name;
  }
  if (ranks < 2) return std::nullopt;
  const uint64_t mean = sum / ranks;
  if (mean == 0 || (most - mean) * 100 < mean * kLeastBeyondPercent) return std::nullopt;
  uneven.beyond_mean_ns = most - mean;
  uneven.beyond_others_ns = most - (sum - most) / (ranks - 1);
  return uneven;
}

}  // namespace syncline
