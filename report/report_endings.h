// SPDX-License-Identifier: Apache-2.0
// Processes that ended before their time: what is known of each.
#pragma once

#include <string>
#include <vector>

#include "model/findings/run_findings.h"
#include "report/report.h"
#include "report/section.h"

namespace syncline {

// The first one first.
void AddEndings(const RunFindings& findings, Report* report);

// "rank-2: train (4711) was killed by signal 9 (KILL), in `epoch > wait` for 1.76 s".
std::string EndingText(const ReportEnding& ending);
// Of the first few, and how many more there are.
std::vector<std::string> EndingTexts(const Report& report);

Section EndingsSection(const Report& report);

}  // namespace syncline
