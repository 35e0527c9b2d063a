// SPDX-License-Identifier: Apache-2.0
// Stages in which a rank takes longer than the others do.
#pragma once

#include <string>
#include <vector>

#include "model/findings/run_findings.h"
#include "report/report.h"

namespace syncline {

// Puts among `answers`, by its cost, each stage in which a rank is longer than half of the others:
// by a tenth, by a hundredth of the working time (but for `all`), and by more than chance makes of
// the ranks' own spread. What a change brings is known where the others meet the rank, without a
// device, in a stage that is called so; else nobody saw who waits for whom. Ranks whose collectives
// were seen are told by these.
void AddSlowRanks(const RunFindings& findings, const RankMeetings& meetings, bool all,
                  std::vector<ReportFinding>* answers);

// Where ranks seem to wait for each other in what is no collective that was seen: a sentence for
// each such stage.
std::vector<std::string> UnseenMeetings(const RunFindings& findings, const RankMeetings& meetings);

}  // namespace syncline
