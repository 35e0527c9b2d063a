// SPDX-License-Identifier: Apache-2.0
// Sums of the waits and gaps of one source of a process.
#pragma once

#include "analysis/name_folder.h"
#include "model/rank_model.h"
#include "model/run_findings.h"

namespace syncline {

// After the second reading, when the ranges around waits and gaps are known.
void SumWaits(const ProgramRun& run, const SourceRun& source, NameFolder* names,
              RunFindings* findings);

}  // namespace syncline
