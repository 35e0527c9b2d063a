// SPDX-License-Identifier: Apache-2.0
// What the manifest says of a rank that was read twice.
#pragma once

#include "model/run/rank_model.h"
#include "offline/rank_job.h"

namespace syncline {

// All but the trace's name and size, and what the ranks did together.
void FillManifest(const RankModel& model, RankManifest* manifest);

// What is wrong with the rank's records, in sentences, and which spools could not be read.
void CollectProblems(const RankModel& model, RankResult* result);

}  // namespace syncline
