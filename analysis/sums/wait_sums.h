// SPDX-License-Identifier: Apache-2.0
// Sums of the waits and gaps of one source of a process.
#pragma once

#include <vector>

#include "analysis/sums/name_folder.h"
#include "analysis/sums/steady_steps.h"
#include "model/findings/run_findings.h"
#include "model/run/rank_model.h"
#include "model/run/time_limits.h"

namespace syncline {

// After the second reading, when the ranges around waits and gaps are known. What is outside of
// `limits` is damaged, and not in the trace either. `kinds`: of the process's steps.
void SumWaits(const ProgramRun& run, const SourceRun& source, const TimeLimits& limits,
              const std::vector<SteadySteps>& kinds, NameFolder* names, RunFindings* findings);

}  // namespace syncline
