// SPDX-License-Identifier: Apache-2.0
// What cost most, where no change has a price: findings of an older version, or of a rank that
// there was no memory to replay.
#pragma once

#include <string>

#include "model/run_findings.h"

namespace syncline {

// The costliest of: a rank that the others waited for in collectives; waits of one class in one
// call within one range, or at one line; devices that computed nothing for a cause. What a rank
// costs is what the others waited for it; what waits cost is the time that threads were blocked;
// all is summed over the ranks and divided by their number. Empty: nothing costs a hundredth of the
// run. Gaps behind waits are those waits', and those after the last operation are no finding.
std::string CostliestText(const RunFindings& findings, const RankMeetings& meetings);

}  // namespace syncline
