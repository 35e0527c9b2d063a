// SPDX-License-Identifier: Apache-2.0
// Which numbers suffer from records of devices that were lost.
#pragma once

#include <string>

#include "model/findings/run_findings.h"
#include "report/report.h"

namespace syncline {

// Of devices; nothing for a rank that used none.
LostRecords LostOf(const RankPart& part);

// Marks ranks and devices, and says what that means. After these are added.
void MarkLost(const RunFindings& findings, Report* report);

// Takes the gains away that nobody knows.
void MarkLost(const RunFindings& findings, std::vector<ReportFinding>* answers);

}  // namespace syncline
