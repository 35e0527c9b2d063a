// SPDX-License-Identifier: Apache-2.0
// What the time of devices goes by with in all steps of a series, and in the longest of them.
#pragma once

#include "analysis/sums/step_rows.h"
#include "analysis/sums/time_curves.h"
#include "model/findings/run_findings.h"

namespace syncline {

// Fills in StepSeries::shares and StepSeries::longest. `timed`: the steps of the series, in its
// order. Devices that only threads with other steps use do not count.
void ShareSteps(TimeCurves* curves, const TimedSeries& timed, StepSeries* series);

}  // namespace syncline
