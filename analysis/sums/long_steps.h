// SPDX-License-Identifier: Apache-2.0
// Why single steps took longer than others: the line at which the host kept devices from work, or
// the kernel that ran longer; without devices the call that waited and the range that was longer.
#pragma once

#include <string>
#include <vector>

#include "analysis/sums/host_steps.h"
#include "analysis/sums/step_rows.h"
#include "analysis/sums/work_curves.h"
#include "model/findings/run_findings.h"
#include "model/run/rank_model.h"

namespace syncline {

// Fills in LongStep::where and LongStep::what of the longest, once ShareSteps has found them. The
// lines of the run's gaps and waits are known. `timed`: the steps of the series, in its order.
// Where a device works for threads with other steps too, and the step's own kernels do not say why
// it is longer, that is told by what its thread waited for, as of a process without devices.
void TellLongSteps(const ProgramRun& run, const TimedSeries& timed, WorkCurves* curves,
                   StepSeries* series);

// Fills in StepSeries::longest of a process whose devices did nothing. `ranges`: of the series.
// `names`: of ranges, by their numbers there.
void TellHostSteps(const ProgramRun& run, const std::vector<TimedStep>& timed,
                   const HostSteps::Series& ranges, const std::vector<std::string>& names,
                   StepSeries* series);

}  // namespace syncline
