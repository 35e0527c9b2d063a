// SPDX-License-Identifier: Apache-2.0
// From the records of a run to one trace per rank: which processes belong to which rank, and what
// becomes of the spools.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "launcher/foreground.h"
#include "launcher/job.h"
#include "launcher/nothing_recorded.h"
#include "launcher/recorder.h"
#include "launcher/spool_scan.h"
#include "model/run_findings.h"
#include "writers/trace_job.h"

namespace syncline {

struct FormatRequest {
  Job job;
  std::string node;
  RankFacts own_rank = {-1, -1, -1, -1, -1, 0};  // of the launcher itself; recover: none
  std::vector<RecordedProcess> processes;        // what the recorder saw
  std::map<int, uint64_t> silent_left_out;       // by rank: processes that are only counted
  std::optional<LookedFor> looked_for;           // by the launcher of this run; recover: not known
  std::vector<FoundSpool>
      spools;  // what a scan found besides; those of running processes are left out
  std::optional<Anchor> anchor;  // of this node's clock
  TimeUnit unit = TimeUnit::kNs;
  bool keep_spools = false;
  bool marked = false;   // other launchers of the job could see that this one was at work
  int child_pid = 0;     // the launcher's own child, whose end it knows; 0: none
  int child_status = 0;  // as of waitpid
};

// All inputs of one trace.
struct RankGroup {
  int rank = -1;        // -1: of no rank, beside ranks (`name` is then "launcher" or "launcher-N")
  int world_size = -1;  // -1: as the processes say
  std::string name;     // "rank-3"; traces of other names are written to run/
  std::vector<ProcessInput> inputs;
};

// The grouping alone; pure. If any process has a rank, those that have none make a group of their
// own, unless the launcher was itself started as a rank by the same kind of launcher: then they are
// of its rank. If none has, all is rank 0 of 1. Where launchers are nested (torchrun under mpirun),
// the rank that the inner one gives counts. Groups without any spool are left out unless they have
// a rank.
std::vector<RankGroup> GroupByRank(const FormatRequest& request);

struct FormatSummary {
  std::vector<RankManifest> written;  // as written, by rank; rank -1 last
  std::vector<std::string> problems;  // sentences for the user: what could not be read or written
  std::vector<std::string> running;   // names of processes that still run, with their pids
  std::vector<std::string> late;      // of those that began to record while traces were written
  RunFindings findings;               // of the ranks that were written
  RankMeetings meetings;              // of these, and of others whose findings were there
  bool failed = false;                // a trace could not be written; its spools are kept
  bool cancelled = false;
};

// Writes the traces and manifests of `groups`, several at a time, and removes the spools of those
// that are complete.
FormatSummary FormatRun(const FormatRequest& request, const std::vector<RankGroup>& groups,
                        WorkProgress* progress);

// DIR/rank-3.trace.json.gz, DIR/run/rank-3.json; DIR/run/launcher.trace.json.gz.
std::string TracePath(const std::string& directory, const RankGroup& group);
std::string ManifestPath(const std::string& directory, const std::string& group_name);

}  // namespace syncline
