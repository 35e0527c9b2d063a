// SPDX-License-Identifier: Apache-2.0
// The way of one rank's records: read, analyse, read again into sinks, write, manifest.
#pragma once

#include <memory>
#include <vector>

#include "model/spool/sink_fan.h"
#include "offline/rank_job.h"
#include "writers/files/rank_sink.h"

namespace syncline {

// In two halves, for callers that compare the ranks of a job between them. One thread at a time;
// ranks in parallel. Memory: a few MiB per spool, whatever its length, and what the job allows.
class RankPipeline {
 public:
  RankPipeline(RankJob job, std::vector<std::unique_ptr<RankSink>> sinks);
  ~RankPipeline();

  // Reads each spool once, and analyses what was read. Whether that went well is in Write's result.
  void Read();
  // What was read; without runs where nothing could be.
  RankModel& model() { return model_; }
  // How the rank met the others, for the manifest.
  void SetCollectives(const CollectiveFacts& facts) { result_.manifest.collectives = facts; }
  // Reads each spool again, and lets the sinks write. Once. Frees what was read.
  RankResult Write();

 private:
  bool Progress(uint64_t done);
  Status ReadFirst();
  Status WriteAll();
  Status ReadAgain(ProgramRun* run);
  Status Finish();

  const RankJob job_;
  const std::vector<std::unique_ptr<RankSink>> sinks_;
  RankModel model_;
  RankResult result_;
  uint64_t total_ = 0;  // bytes of spools, each twice
  uint64_t done_ = 0;
  uint64_t read_again_ = 0;
};

}  // namespace syncline
