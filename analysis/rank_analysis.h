// SPDX-License-Identifier: Apache-2.0
// All that is found out about one rank, from the two readings of its spools.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "analysis/collective_reader.h"
#include "analysis/collectives.h"
#include "analysis/range_stacks.h"
#include "model/rank_observer.h"

namespace syncline {

// One thread.
class RankAnalysis : public RankObserver {
 public:
  // `room`: bytes of memory that the rank's findings may take until its trace is written. Gaps
  // shorter than `shortest_gap_ns` are none.
  RankAnalysis(uint64_t room, uint64_t shortest_gap_ns);

  std::vector<RecordSink*> FirstReading(size_t input) override;
  // Gives the runs' records free.
  void Analyse(RankModel* model, const std::function<bool()>& stopped) override;
  RecordSink* SecondReading(ProgramRun* run) override;
  void Finish(ProgramRun* run) override;

  // What the rank did for collectives; known after Analyse. Its `rank` is the caller's to fill in.
  RankCollectives collectives;

 private:
  void AnalyseRun(ProgramRun* run, uint64_t most_records);
  void AnalyseSource(ProgramRun* run, SourceRun* source, uint64_t most_records);

  uint64_t room_;  // bytes that are left
  const uint64_t shortest_gap_ns_;
  std::vector<std::unique_ptr<CollectiveReader>> readers_;  // as in RankRequest::processes
  std::unique_ptr<RangeStacks> stacks_;                     // of the run that is being read
};

}  // namespace syncline
