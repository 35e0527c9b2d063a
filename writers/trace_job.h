// SPDX-License-Identifier: Apache-2.0
// From the spools of one rank to its trace and manifest: what the launcher calls.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/base_time.h"
#include "model/rank_model.h"
#include "model/rank_observer.h"
#include "writers/chrome/shown.h"
#include "writers/chrome/time_text.h"
#include "writers/manifest.h"

namespace syncline {

struct RankJob {
  int32_t rank = -1;        // -1: none; the trace then says rank 0 without naming it
  int32_t world_size = -1;  // -1: as the processes say
  // With spools, and those that only sent a note; at least one.
  std::vector<ProcessInput> processes;
  uint64_t processes_left_out = 0;  // beside these: recorded nothing, and are only counted
  std::string output;    // path of the trace; ends in .json.gz, or in .json for plain text
  std::string manifest;  // path of the manifest; empty: none is written
  TimeUnit unit = TimeUnit::kNs;
  std::optional<BaseTime> base;  // of the job; empty: of `grid`, for this rank's first anchor
  // Taken by this node's launcher when the job began; empty: the first process's.
  std::optional<Anchor> job_anchor;
  OwnCode own;
  double ticks_per_second = 0;  // of this machine's TSC if known, 0: not
  uint64_t most_records = RankRequest().most_records;
  ShownOnly shown;
  std::string step_range;            // as for ChromeWriter
  RankObserver* observer = nullptr;  // null: nothing is found out
  // Called when the trace is written and the manifest, which may be completed, is not. Not
  // ok: the manifest is not written.
  std::function<Status(RankManifest*)> before_manifest;
  // Called about once per block (at most every few ms), on the calling thread: bytes of spools
  // done, of all. Each spool counts twice: for the first reading and for the second. What lies
  // between them adds nothing, and asks. False cancels: nothing is left behind.
  std::function<bool(uint64_t done, uint64_t total)> progress;
};

struct RankResult {
  Status status;  // not ok: no trace was written, the spools are needed still
  bool cancelled = false;
  RankManifest manifest;  // counts, losses and problems, as written
  // Why spools could not be read whole: sentences for the user, each with the path.
  std::vector<std::string> problems;
  // Spools that could not be read at all: keep them, even if a trace was written.
  std::vector<std::string> unread;
};

// Writes one rank's trace in steps, for callers that compare the ranks of a job between the steps.
// One thread at a time.
class RankWriting {
 public:
  explicit RankWriting(RankJob job);
  ~RankWriting();
  RankWriting(const RankWriting&) = delete;
  RankWriting& operator=(const RankWriting&) = delete;

  // Reads each spool once, and lets the observer analyse. Whether it went well is in Write's
  // result.
  void Prepare();
  // What was read; without runs where nothing could be.
  RankModel& model();
  // How the rank met the others, for the manifest.
  void SetCollectives(const CollectiveFacts& facts);
  // Once. Frees what was read.
  RankResult Write();

 private:
  class Steps;
  std::unique_ptr<Steps> steps_;
};

// All steps. Blocks until the trace is written. Memory: a few MiB per spool, whatever its length.
// Thread-safe for different outputs.
RankResult WriteRankTrace(const RankJob& job);

struct SpoolFacts {
  int32_t rank = -1;
  int32_t world_size = -1;
  uint32_t launcher = 0;  // LauncherKind that gave the rank
  int32_t pid = 0;        // as the consumer saw it
  uint64_t start_time = 0;
  uint64_t start_realtime_ns = 0;  // of the segment
  std::string host;
  std::string name;  // of the program
  uint64_t bytes = 0;
  bool complete = false;  // its end block is there
};

// Reads only the first block and the end. Not ok: not a spool, or its first block is damaged.
Status ReadSpoolFacts(const std::string& path, SpoolFacts* facts);

}  // namespace syncline
