// SPDX-License-Identifier: Apache-2.0
// Which numbers suffer from records of devices that were lost.
#pragma once

#include <string>

#include "model/report.h"
#include "model/run_findings.h"

namespace syncline {

// Of devices; nothing for a rank that used none.
LostRecords LostOf(const RankPart& part);

// Takes gains away that nobody knows, marks ranks and devices. After all else of the report.
void MarkLost(const RunFindings& findings, Report* report);

// The same of findings alone, as FindAnswers gives them.
void MarkLost(const RunFindings& findings, std::vector<ReportFinding>* answers);

}  // namespace syncline
