// SPDX-License-Identifier: Apache-2.0
// The ranks of a report, and what is said of all of them: when the run was, on how many machines.
#pragma once

#include "model/findings/run_findings.h"
#include "report/report.h"

namespace syncline {

// By number; what has none comes last.
void AddRanks(const RunFindings& findings, const RankMeetings& meetings, Report* report);

}  // namespace syncline
