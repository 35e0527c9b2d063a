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
// without any, the run's. What a program does before (it loads its modules) and after is not held
// against it.
uint64_t WorkingTimeNs(const RunFindings& findings);
// How long devices worked in the program's steps, or computed where there are none, and of how much
// time. 0, 0: not known. Of a device that several ranks share each has a part.
std::pair<uint64_t, uint64_t> ComputingTime(const RunFindings& findings);

// Best first: by what each change brings each rank, and of those that have no price by what they
// cost. Nothing that brings less than a hundredth of that time (launches and copies, of which each
// program has some: a twentieth), unless `all`. Behind these stand waits that last a tenth of it
// and bring nothing when they are gone, because the devices are busy meanwhile.
std::vector<ReportFinding> FindAnswers(const RunFindings& findings, const RankMeetings& meetings,
                                       bool all = false);
// Whether it is about what the host did while a device computed nothing.
bool IsHostWork(const ReportFinding& finding);
// False: of the latter.
bool IsWorthChanging(const ReportFinding& finding);

}  // namespace syncline
