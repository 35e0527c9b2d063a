// SPDX-License-Identifier: Apache-2.0
// The ranges of one process of a trace: sums by name, steps, and which of them were open at a time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/name_folder.h"
#include "analysis/work_curves.h"
#include "model/run_findings.h"
#include "model/trace_sink.h"

namespace syncline {

// One thread. Memory: 24 bytes a range for at most kMostRanges; what is beyond is in the sums by
// name only.
class TracedRanges {
 public:
  static constexpr size_t kMostRanges = size_t{1} << 22;
  static constexpr size_t kMostSteps = 100000;

  explicit TracedRanges(NameFolder* names) : names_(names) {}

  void Add(const TracedEvent& event);

  // After all ranges. `curves`: what the process did with devices; null: nothing.
  void Finish(int32_t pid, WorkCurves* curves, RunFindings* findings, RankPart* part);
  // Of each moment ("step 3 > backward"), a thread and a time, in their order.
  std::vector<std::string> StacksAt(const std::vector<std::pair<uint32_t, uint64_t>>& moments);

  uint64_t FirstStepNs() const { return syncline::FirstStepNs(steps_); }
  bool left_out() const { return left_out_; }
  bool has_started() const { return has_started_; }

 private:
  struct Range {
    uint64_t begin_ns;
    uint64_t end_ns;
    uint32_t label;  // in keys_
    uint32_t tid;    // 0: of a start/end range, which may be of any thread
  };

  uint32_t LabelOf(const TracedEvent& event);
  void AddStep(const TracedEvent& event);
  void SumStages(WorkCurves* curves, std::vector<StageWork>* works);
  void Sort();

  NameFolder* const names_;
  std::map<RangeKey, uint32_t> labels_;
  std::vector<const RangeKey*> keys_;
  std::vector<DurationSums> sums_;
  std::unordered_map<std::string, uint32_t> seen_;  // labels by what events say
  std::map<std::string, StepSeries> steps_;
  size_t step_count_ = 0;
  uint64_t steps_left_out_ = 0;
  std::vector<Range> ranges_;
  bool sorted_ = false;
  bool left_out_ = false;
  bool has_started_ = false;
};

}  // namespace syncline
