// SPDX-License-Identifier: Apache-2.0
// What to change first in a program, and what it would bring.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "report/report.h"

namespace syncline {

// Of which gains are a part: the time from the first step of the rank that took longest for them to
// the end of its devices' work; without steps, from the first to the last work of its devices;
// without any, the run's. Of a rank with several processes it is the time in which at least one of
// them worked so. What a program does before (it loads its modules) and after is not held
// against it.
uint64_t WorkingTimeNs(const RunFindings& findings);
// How long devices worked (computed, communicated, copied) in the program's steps, or at all where
// there are none, and of how much time. 0, 0: not known. Of a device that several ranks share each
// has a part.
std::pair<uint64_t, uint64_t> BusyTime(const RunFindings& findings);

// Best first; what is not worth telling only if `all` (report/told_findings.h).
std::vector<ReportFinding> FindAnswers(const RunFindings& findings, const RankMeetings& meetings,
                                       bool all = false);

}  // namespace syncline
