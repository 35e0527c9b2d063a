// SPDX-License-Identifier: Apache-2.0
// Which jobs the ranks of one run are of: a script may start several, one after the other or at
// once.
#pragma once

#include <cstdint>
#include <vector>

#include "inject/core/segment.h"

namespace syncline {

// A process that a job's launcher numbered.
struct JobMember {
  RankFacts rank;
  int own_pid = 0;  // these as the process sees them; 0: unknown
  int parent_pid = 0;
  uint64_t start_realtime_ns = 0;
  bool recorded = false;  // it has a spool
};

struct JobsOfRun {
  // By member its job: of those that recorded something in the order in which they began, the first
  // one 1. 0: of one that recorded nothing; all are 0 where nothing tells jobs apart.
  std::vector<int> of;
  int counts = 0;  // the job with the most ranks that recorded something, of equal ones the first
  int jobs = 0;
};

// Two jobs are those whose launchers call them by other names, or whose ranks other processes
// started, and that have a number of a rank in common, or worlds of other sizes. Attempts of a rank
// are of one job, and so is what MPI_Comm_spawn started. What a rank starts is of its job.
JobsOfRun FindJobs(const std::vector<JobMember>& members);

}  // namespace syncline
