// SPDX-License-Identifier: Apache-2.0
// What an analysis found out about a rank, and what its manifest says, as one.
#pragma once

#include "model/findings/run_findings.h"
#include "model/run/rank_model.h"
#include "offline/rank_job.h"

namespace syncline {

// Takes what the job's analysis found, after its last Finish. The lines that waited longest become
// part of the manifest.
RunFindings FindingsOfRank(const RankJob& job, const RankModel& model, RankManifest* manifest);

}  // namespace syncline
