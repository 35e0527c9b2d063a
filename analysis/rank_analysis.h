// SPDX-License-Identifier: Apache-2.0
// All that is found out about one rank, from the two readings of its spools. All calls come from
// one thread, in the order in which they stand here.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "analysis/collectives/collective_reader.h"
#include "analysis/collectives/collectives.h"
#include "analysis/collectives/operator_collectives.h"
#include "analysis/device_sharing.h"
#include "analysis/message_ranges.h"
#include "analysis/prices/process_gains.h"
#include "analysis/prices/replay_graph.h"
#include "analysis/range_stacks.h"
#include "analysis/source_moments.h"
#include "analysis/sums/host_work.h"
#include "analysis/sums/memory_events.h"
#include "analysis/sums/open_at_end.h"
#include "analysis/sums/operator_times.h"
#include "analysis/sums/record_sums.h"
#include "analysis/sums/replayed_operators.h"
#include "analysis/sums/work_curves.h"
#include "model/findings/run_findings.h"
#include "model/run/rank_model.h"
#include "model/spool/sink_fan.h"

namespace syncline {

class RankAnalysis {
 public:
  // `room`: bytes of memory that the rank's findings may take until its trace is written. Gaps
  // shorter than `shortest_gap_ns` are none. `step_range`: which ranges are steps, a pattern;
  // empty: those that are called so.
  RankAnalysis(uint64_t room, uint64_t shortest_gap_ns, std::string step_range = "");

  // Before Analyse: other ranks are analysed that may use the same devices.
  void ExpectOthers() { keeps_work_ = true; }

  // Before Analyse: samples of the host, which outlive this; null: there are none.
  void SetSamples(const HostSamples* samples) { samples_.samples = samples; }

  // The sinks that the first reading of an input (RankRequest::processes) feeds.
  std::vector<RecordSink*> FirstReading(size_t input);
  // All inputs were read. Gives the runs' records free. `stopped`: the user wants no more.
  void Analyse(RankModel* model, const std::function<bool()>& stopped);
  // After Analyse of all ranks of the launcher; once for all of them.
  static void JoinDevices(const std::vector<RankAnalysis*>& ranks);

  // The sink that the second reading of a run feeds.
  RecordSink* SecondReading(ProgramRun* run);
  // The run was read for the second time: its findings are complete.
  void Finish(ProgramRun* run);

  // After the last Finish. Prices, which are sums over processes, become those of the rank.
  void SettlePrices();

  // What is kept of the rank. Devices and collectives are known after Analyse, the rest after the
  // last Finish; what the manifest says is the caller's to fill in.
  RunFindings findings;
  RankPart part;

 private:
  void AnalyseRun(ProgramRun* run, uint64_t most_records);
  void PlaceRecords(ProgramRun* run, uint64_t most_records);
  void AnalyseSource(ProgramRun* run, SourceRun* source, WorkCurves* curves);
  void AnalyseWork(ProgramRun* run, SourceRun* source, WorkCurves* curves);
  void SettleShared();
  void NoteIdleDevices(const ProgramRun& run, const SourceRun& source);
  void FindInSource(const ProgramRun& run, SourceRun* source, WorkCurves* curves);
  bool Keep(const ProgramRun& run, std::vector<Wait> waits, std::vector<Gap> gaps,
            SourceRun* source, WorkCurves* curves);
  void MeasureDevices(const ProgramRun& run, SourceRun* of);
  void KeepForReplay(const ProgramRun& run, SourceRun* source);
  void PriceSource(const ProgramRun& run, const SourceRun& source, const SourceMoments& moments);
  WorkCurves* CurvesOf(const ProgramRun& run) const;  // null: it used no devices
  void AddStarved(const SourceRun& source);

  uint64_t room_;  // bytes that are left
  const uint64_t shortest_gap_ns_;
  const std::string step_range_;
  // As in RankRequest::processes.
  std::vector<std::unique_ptr<CollectiveReader>> readers_;
  std::vector<std::unique_ptr<OperatorCollectives>> operator_readers_;
  OwnCode own_;
  uint64_t base_ns_ = 0;  // of the rank's trace
  PlacedSamples samples_;
  std::vector<CoverageGap> replayed_;  // when each process had work
  ProcessGains gains_;
  std::map<uint32_t, ReplayGraph> graphs_;                     // by SourceRun::number
  std::map<uint32_t, std::unique_ptr<WorkCurves>> curves_;     // by the run's index
  std::map<uint32_t, std::vector<StarvedSums>> starved_;       // by SourceRun::number
  std::set<uint32_t> ended_early_;                             // indexes of runs
  std::map<uint32_t, std::array<uint64_t, kGapCauses>> gaps_;  // of the source at hand, by device
  bool keeps_work_ = false;             // several processes may use one device
  std::vector<DeviceWork> works_;       // until JoinDevices
  std::set<std::string> seen_devices_;  // their uuids
  bool knows_idle_devices_ = true;
  // Of the run that is being read for the second time.
  std::unique_ptr<RecordSums> sums_;
  std::unique_ptr<OperatorTimes> operators_;               // null: there are none
  std::unique_ptr<ReplayedOperators> replayed_operators_;  // null: no graph is known by its nodes
  std::unique_ptr<MemoryEvents> memory_;                   // null: no allocator told of a block
  std::unique_ptr<RangeStacks> stacks_;                    // null: nothing was found to ask about
  std::unique_ptr<OpenAtEnd> open_;                        // null: it did not end early
  std::map<uint32_t, SourceMoments> moments_;              // by SourceRun::number
  MessageRanges messages_;
  SinkFan second_;
};

}  // namespace syncline
