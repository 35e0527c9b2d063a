// SPDX-License-Identifier: Apache-2.0
// The ranks' stages side by side.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/findings/run_findings.h"
#include "report/report.h"

namespace syncline {

// A rank's trace and part.
using RankOfRun = std::pair<const std::string, RankPart>;

// Those whose times can be held against each other: whole ranks that lost nothing of their threads,
// without those that ended before their time, if others did not, else without those that ended
// before the last ones. Ranks of different programs are apart.
std::vector<std::vector<const RankOfRun*>> ComparableRanks(const RunFindings& findings);

// By stage: each rank's, in the order of `ranks`; null: the rank was not in it, or that is not
// known because it has more stages than are kept.
using StagesOfRanks = std::map<RangeKey, std::vector<const StageTime*>>;
StagesOfRanks StagesSideBySide(const std::vector<const RankOfRun*>& ranks);

// Half of the values but that at `own` are not greater.
uint64_t MedianOfOthers(const std::vector<uint64_t>& sorted, uint64_t own);

// Of two ranks and more: costliest stage first, its ranks by number.
void AddRankStages(const RunFindings& findings, Report* report);
// Of all ranks: in which names their ranges' own time went by.
void AddRangeShares(const RunFindings& findings, Report* report);

}  // namespace syncline
