// SPDX-License-Identifier: Apache-2.0
// A run's report from its directory, for commands that look at runs.
#pragma once

#include <set>
#include <string>

#include "model/findings/run_findings.h"
#include "report/kernel_classes.h"
#include "report/report.h"

namespace syncline {

struct KeptRun {
  RunFindings findings;
  RankMeetings meetings;
  Report report;
  bool whole = true;  // all files could be read
};

// What could not be read is said. False: nothing could, and what to do was said. `all`: findings
// that bring little, too.
bool ReadKeptRun(const std::string& directory, const KernelPatterns& patterns, bool all,
                 KeptRun* kept);

// Ranks that the user left out of it (--ranks).
std::set<int> LeftOutRanks(const std::string& directory);

}  // namespace syncline
