// SPDX-License-Identifier: Apache-2.0
// What the pipeline of one rank is asked for, and what becomes of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "model/findings/run_findings.h"
#include "model/run/base_time.h"
#include "model/run/rank_model.h"
#include "writers/findings/manifest.h"

namespace syncline {

class CompileLogs;
class RankAnalysis;

struct RankJob {
  std::string name = "rank-0";  // of the trace, among those of its job
  int32_t rank = -1;            // -1: none
  int32_t told_rank = -1;       // as in RankRequest
  int32_t world_size = -1;      // -1: as the processes say
  // With spools, and those that only sent a note; at least one.
  std::vector<ProcessInput> processes;
  uint64_t processes_left_out = 0;      // beside these: recorded nothing, and are only counted
  std::vector<std::string> unrecorded;  // sentences on others of which not all could be recorded
  std::vector<std::string> notes;       // told with what was found, in sentences
  std::string manifest;                 // path of the manifest; empty: none is written
  std::optional<BaseTime> base;  // of the job; empty: on the grid, for this rank's first anchor
  // Taken by this node's launcher when the job began; empty: the first process's.
  std::optional<Anchor> job_anchor;
  OwnCode own;
  double ticks_per_second = 0;  // of this machine's TSC if known, 0: not
  uint64_t most_records = RankRequest().most_records;
  RankAnalysis* analysis = nullptr;           // null: nothing is found out
  const CompileLogs* compile_logs = nullptr;  // of the run; null: none are looked at
  std::string job_key;                        // of the findings' part (RankPart::job)
  HostLoad load;                              // the same
  // Which options let only a part be recorded, for the findings' part; may be empty.
  std::function<std::vector<std::string>(const RankManifest&)> limits;
  // Called about once per block (at most every few ms), on the calling thread: bytes of spools
  // done, of all. Each spool counts twice: for the first reading and for the second. What lies
  // between them adds nothing, and asks. False cancels: nothing is left behind.
  std::function<bool(uint64_t done, uint64_t total)> progress;
};

struct RankResult {
  Status status;  // not ok: the rank's files are not written, the spools are needed still
  bool cancelled = false;
  RankManifest manifest;  // counts, losses and problems, as written
  RunFindings findings;   // of the rank; none without an analysis
  // Why spools could not be read whole: sentences for the user, each with the path.
  std::vector<std::string> problems;
  // Spools that could not be read at all: keep them, even if a trace was written.
  std::vector<std::string> unread;
};

}  // namespace syncline
