// SPDX-License-Identifier: Apache-2.0
// What to change first in a program, and what it would bring.
#pragma once

#include <vector>

#include "model/report.h"

namespace syncline {

// Best first: by what each change brings each rank, and of those that have no price by what they
// cost. Nothing that brings less than a hundredth of the run, unless `all`.
std::vector<ReportFinding> FindAnswers(const RunFindings& findings, const RankMeetings& meetings,
                                       bool all = false);

}  // namespace syncline
