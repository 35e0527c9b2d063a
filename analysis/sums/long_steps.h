// SPDX-License-Identifier: Apache-2.0
// Why single steps took longer than others: the line at which the host kept devices from work, or
// the kernel that ran longer.
#pragma once

#include <vector>

#include "analysis/sums/step_rows.h"
#include "analysis/sums/work_curves.h"
#include "model/findings/run_findings.h"
#include "model/run/rank_model.h"

namespace syncline {

// Fills in LongStep::where and LongStep::what of the longest, once ShareSteps has found them. The
// lines of the run's gaps and waits are known. `timed`: the steps of the series, in its order.
void TellLongSteps(const ProgramRun& run, const std::vector<TimedStep>& timed, WorkCurves* curves,
                   StepSeries* series);

}  // namespace syncline
