// SPDX-License-Identifier: Apache-2.0
// A run that is over, with its findings, its report and its measures.
#pragma once

#include <string>

#include "model/findings/run_findings.h"
#include "report/report.h"

namespace syncline {

struct MeasuredRun {
  RunFindings findings;
  Report report;
};

// "": it was read, whole. Else why not: half of a run measures nothing.
std::string ReadMeasuredRun(const std::string& directory, MeasuredRun* run);

}  // namespace syncline
