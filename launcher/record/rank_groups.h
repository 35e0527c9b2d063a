// SPDX-License-Identifier: Apache-2.0
// Which processes of what a recorder or a scan found belong to which rank.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "launcher/jobs/job.h"
#include "launcher/jobs/spool_scan.h"
#include "launcher/record/lost_programs.h"
#include "launcher/record/nothing_recorded.h"
#include "launcher/record/recorder.h"
#include "offline/job_pipeline.h"

namespace syncline {

// What a recorder or a scan found.
struct RecordedRun {
  Job job;
  std::string node;
  RankFacts own_rank = {-1, -1, -1, -1, -1,
                        0,  -1, -1, 0,  0};  // of the launcher itself; recover: none
  std::vector<RecordedProcess> processes;    // what the recorder saw
  std::map<int, uint64_t> silent_left_out;   // by rank: processes that are only counted
  LostPrograms lost_programs;
  std::optional<LookedFor> looked_for;  // by the launcher of this run; recover: not known
  std::vector<FoundSpool>
      spools;  // what a scan found besides; those of running processes are left out
  std::optional<Anchor> anchor;      // of this node's clock
  HostLoad load;                     // of this node; recover: not known
  std::vector<std::string> samples;  // of the host: paths of their files
  TimeUnit unit = TimeUnit::kNs;
  bool keep_spools = false;
  bool marked = false;   // other launchers of the job could see that this one was at work
  int child_pid = 0;     // the launcher's own child, whose end it knows; 0: none
  int child_status = 0;  // as of waitpid
};

// If any process has a rank, those that have none make a group of their own, unless the launcher
// was itself started as a rank by the same kind of launcher: then they are of its rank. If none
// has, all is rank 0 of 1. Where launchers are nested (torchrun under mpirun), the rank that the
// inner one gives counts. Where several processes would be one rank and say themselves that they
// are several (offline/told_places.h), they are. Groups without any spool are left out unless they
// have a rank. Of ranks that their launcher started anew the last attempt counts, and each earlier
// one is a group of its own. So is each rank that MPI_Comm_spawn started, and each of another job
// of this run (jobs_of_run.h), and these count.
std::vector<RankGroup> GroupByRank(const RecordedRun& request);

}  // namespace syncline
