// SPDX-License-Identifier: Apache-2.0
// Which kernels each stage launched.
#pragma once

#include <string>

#include "model/findings/run_findings.h"
#include "report/report.h"
#include "report/section.h"

namespace syncline {

// After its stages.
void AddStageKernels(const RunFindings& findings, Report* report);

// The rows of one stage.
Section KernelsOfStageSection(const ReportStageKernels& stage);
// Of all kernels of a stage, together.
LaunchSums LaunchesOfStage(const ReportStageKernels& stage);

}  // namespace syncline
