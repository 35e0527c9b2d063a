// SPDX-License-Identifier: Apache-2.0
// What a rank's records and findings become: a trace, a file of findings, an export.
#pragma once

#include <cstddef>
#include <vector>

#include "base/status.h"
#include "model/run/rank_model.h"
#include "model/spool/record_sink.h"

namespace syncline {

struct RankManifest;
struct RunFindings;

// The pipeline (offline/rank_pipeline.h) reads a rank's spools twice and calls each sink from one
// thread, in this order. No sink knows of another. What is not ok ends the pipeline: nothing of the
// rank is committed after it.
class RankSink {
 public:
  virtual ~RankSink() = default;

  // What the first reading of an input (RankRequest::processes) feeds besides; may be empty. Lives
  // as long as the sink. Not asked of an input that cannot be opened.
  virtual std::vector<RecordSink*> FirstReading(size_t /*input*/) { return {}; }
  // All inputs were read once, and nothing is analysed yet: the runs' records are as they were
  // read.
  virtual void OnRead(const RankModel&) {}

  // The analysis has freed the runs' records.
  virtual Status Begin(const RankModel&) { return {}; }
  // For each readable run: what its second reading feeds, until EndRun; null: nothing.
  virtual RecordSink* BeginRun(ProgramRun*) { return nullptr; }
  // The run was read, and its findings are complete.
  virtual Status EndRun(ProgramRun*) { return {}; }

  // All is known of the rank. `manifest` may be completed; it is written when all sinks have
  // finished.
  virtual Status Finish(RankManifest* /*manifest*/, const RunFindings&) { return {}; }
};

}  // namespace syncline
