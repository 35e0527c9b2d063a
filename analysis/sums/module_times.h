// SPDX-License-Identifier: Apache-2.0
// Sums of a model's modules by path: how long threads were in them, forward and backward, and what
// was given to devices there.
#pragma once

#include <cstdint>

#include "analysis/sums/work_curves.h"
#include "model/findings/run_findings.h"
#include "model/run/rank_model.h"

namespace syncline {

// After the first reading; `curves`: null: it used no devices. What had not ended when the process
// was gone is in the trace alone.
void SumModules(ProgramRun* run, uint64_t base_ns, WorkCurves* curves, RunFindings* findings);

}  // namespace syncline
