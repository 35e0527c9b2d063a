// SPDX-License-Identifier: Apache-2.0
// From the spools of one launcher's ranks to their files: a pipeline a rank, several at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/findings/run_findings.h"
#include "model/run/base_time.h"
#include "model/run/rank_model.h"
#include "writers/chrome/text/time_text.h"
#include "writers/findings/manifest.h"

namespace syncline {

// All inputs of one trace.
struct RankGroup {
  // -1: of no rank, beside ranks (`name` is then "launcher" or "launcher-N"), or beside the ranks
  // of this number ("rank-0-attempt-1", "rank-0-spawn-1", "rank-0-job-2").
  int rank = -1;
  int beside = -1;      // then: that number; -1: it has none
  int world_size = -1;  // -1: as the processes say
  std::string name;     // "rank-3"; traces of other names are written to run/
  std::vector<ProcessInput> inputs;
  bool counts = true;  // false: a trace, but no findings: the rank was started anew after that
  std::vector<std::string> notes{};  // of its trace, in sentences, for the report
};

// Written by the working thread, read by the one that shows it.
struct WorkProgress {
  std::atomic<uint64_t> done{0};
  std::atomic<uint64_t> total{0};      // 0: not known yet
  std::atomic<bool> cancelled{false};  // the work should stop soon and leave its input as it is
};

struct WriteRequest {
  std::string directory;  // of the run
  std::string key;        // of the job
  std::optional<BaseTime> base;
  std::optional<Anchor> anchor;  // of this node's clock
  HostLoad load;
  std::vector<std::string> samples;         // paths of the files of samples of the host
  std::map<int, uint64_t> silent_left_out;  // by rank: processes that are only counted
  // By rank: sentences on processes of which nothing, or not all, could be recorded.
  std::map<int, std::vector<std::string>> unrecorded;
  TimeUnit unit = TimeUnit::kNs;
  bool keep_spools = false;
  bool waits_for_others = false;  // other launchers of the job end at about the same time
  // Which options let only a part of the run be recorded, as on a command line.
  std::function<std::vector<std::string>(const RankManifest&)> limits;
};

struct WriteSummary {
  std::vector<RankManifest> written;  // as written, by rank; rank -1 last
  std::vector<std::string> problems;  // sentences for the user: what could not be read or written
  RunFindings findings;               // of the ranks that were written
  RankMeetings meetings;              // of these, and of others whose findings were there
  bool failed = false;                // a trace could not be written; its spools are kept
  bool cancelled = false;
};

// Writes the files of `groups`, as the options in force say, and removes the spools of those that
// are complete. Adds to `summary`.
void WriteRanks(const WriteRequest& request, const std::vector<RankGroup>& groups,
                WorkProgress* progress, WriteSummary* summary);

}  // namespace syncline
