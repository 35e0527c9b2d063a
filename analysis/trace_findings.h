// SPDX-License-Identifier: Apache-2.0
// Makes findings of a rank's trace: what was found out when it was written stands in it, and what
// was only summed up then is summed up again.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/name_folder.h"
#include "analysis/traced_ranges.h"
#include "analysis/traced_source.h"
#include "model/run_findings.h"
#include "model/trace_sink.h"

namespace syncline {

struct SourceRun;

// Sink of one trace. One thread. Memory: what TracedRanges takes, 64 bytes for a call or operation
// of at most `most_records`, and some hundred for a wait or gap of at most kMostFindings.
class TraceFindings : public TraceSink {
 public:
  static constexpr uint64_t kMostRecords = uint64_t{1} << 23;
  static constexpr size_t kMostFindings = size_t{1} << 20;

  explicit TraceFindings(uint64_t most_records = kMostRecords) : most_records_(most_records) {}

  bool OnFacts(const TracedFacts& facts) override;
  void OnEvent(const TracedEvent& event) override;

  // After the trace was read. The findings have no rank's part yet.
  void Finish();
  RunFindings findings;
  RankPart part;  // what a manifest says better is its to fill in
  // What findings of a trace cannot have, in words for people.
  std::vector<std::string> lacking;

 private:
  struct Process {
    explicit Process(NameFolder* names) : ranges(names) {}
    TracedRanges ranges;
    int32_t pid = 0;  // its own; that of the row is the key
    uint64_t begin_ns = UINT64_MAX;
    uint64_t end_ns = 0;
    std::vector<CoverageGap> unseen;
    std::vector<TracedSource*> sources;
  };
  struct Device {
    uint32_t number = 0;
    uint32_t source_run = 0;  // that used it last
  };
  struct ToldGap {
    TracedEvent event;
    uint32_t source_run = 0;
  };
  struct Held {
    uint64_t ns = 0;
    int64_t bytes = 0;  // from then on
  };

  Process& ProcessOf(uint32_t pid);
  TracedSource* SourceOf(const TracedEvent& event, const std::string& name);
  bool TakeRoom();
  void Begin(const TracedEvent& event);
  void AddOp(const TracedEvent& event);
  void AddFinding(const TracedEvent& event);
  void AssignWaits();
  void AssignGaps();
  void FinishProcess(uint32_t pid, Process* process);
  void FinishSource(Process* process, TracedSource* source, WorkCurves* curves);
  void SumStarved(const TracedSource& source);
  void MeasureDevices(const Process& process, const TracedSource& source);
  void AddPeaks(uint32_t pid, const TracedSource& source, DeviceUse* use) const;
  void Price(Process* process, TracedSource* source, const SourceRun& run);
  void TellWhatLacks(const TracedFacts& facts);

  const uint64_t most_records_;
  uint64_t records_ = 0;
  NameFolder names_;
  std::map<uint32_t, Process> processes_;                      // by the row's pid
  std::map<uint32_t, std::unique_ptr<TracedSource>> sources_;  // by SourceRun::number
  std::map<uint32_t, Device> devices_;                         // by the row's pid
  std::map<uint32_t, std::string> device_names_;
  std::map<std::pair<uint32_t, uint32_t>, std::vector<Held>> memory_;  // device's row, process's
  std::map<OpKey, CopySums> copies_;
  std::map<OpKey, DurationSums> kernels_;
  std::vector<TracedEvent> waits_;
  std::vector<ToldGap> gaps_;
  bool too_many_ = false;
  bool too_many_findings_ = false;
};

}  // namespace syncline
