// SPDX-License-Identifier: Apache-2.0
// The files of findings of a run's directory.
#pragma once

#include <string>
#include <vector>

#include "model/findings/run_findings.h"

namespace syncline {

// All findings below `directory`, merged; of those that cannot be read a sentence each.
struct ReadRun {
  RunFindings findings;
  std::vector<std::string> problems;
};
ReadRun ReadRunFindings(const std::string& directory);

// Names of the traces in `directory` that have no findings in its run/: somebody removed them.
std::vector<std::string> TracesWithoutFindings(const std::string& directory);

// How the ranks met: from their parts.
RankMeetings MeetingsOf(RunFindings* findings);

}  // namespace syncline
