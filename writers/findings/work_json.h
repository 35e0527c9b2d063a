// SPDX-License-Identifier: Apache-2.0
// What was done for ranges, what came too late for its device, and prices, as JSON and back.
#pragma once

#include <vector>

#include "model/findings/run_findings.h"
#include "writers/files/json_fields.h"

namespace syncline {

Json StageJson(const RangeKey& key, const StageWork& work);
Json StarvedJson(const OpKey& key, const StarvedSums& sums);
Json PriceJson(const PriceKey& key, const PriceSums& sums);
Json StageTimesJson(const std::vector<StageTime>& stages);
Json ReplayJson(const ReplayFacts& facts);

// All of these of a document.
void TakeWork(const Json& document, RunFindings* findings);
void TakeStageTime(const Json& object, std::vector<StageTime>* stages);
void TakeReplay(const Json& object, ReplayFacts* facts);

}  // namespace syncline
