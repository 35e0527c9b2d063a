// SPDX-License-Identifier: Apache-2.0
// What a rank's findings say of compilations.
#pragma once

#include "model/findings/run_findings.h"
#include "model/run/rank_model.h"

namespace syncline {

// `part`: has the steps of the rank already.
void AddCompilations(const RankModel& model, RunFindings* findings, RankPart* part);

}  // namespace syncline
