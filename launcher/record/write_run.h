// SPDX-License-Identifier: Apache-2.0
// From what was recorded to the files of the ranks.
#pragma once

#include <string>
#include <vector>

#include "launcher/record/rank_groups.h"

namespace syncline {

struct RunSummary : WriteSummary {
  std::vector<std::string> running;  // names of processes that still run, with their pids
  std::vector<std::string> late;     // of those that began to record while traces were written
};

// Writes the files of `groups` (offline/job_pipeline.h), and tells which processes still run.
RunSummary WriteRun(const RecordedRun& request, const std::vector<RankGroup>& groups,
                    WorkProgress* progress);

}  // namespace syncline
