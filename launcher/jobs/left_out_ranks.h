// SPDX-License-Identifier: Apache-2.0
// Ranks that --ranks leaves out: nobody waits for their traces, and a mark says why there is none.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "inject/core/rank.h"
#include "offline/job_pipeline.h"

namespace syncline {

// Takes the groups out that recorded nothing because --ranks leaves their rank out; their ranks.
std::set<int> TakeLeftOutRanks(const RankFacts& own_rank, std::vector<RankGroup>* groups);

// Leaves run/rank-N.left-out. Not being able to is no error: the rank is then called missing.
void MarkLeftOut(const std::string& directory, const std::set<int>& ranks);

}  // namespace syncline
