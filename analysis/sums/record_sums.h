// SPDX-License-Identifier: Apache-2.0
// Sums of a process's ranges, kernels and copies by their names, and its steps one by one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "analysis/sums/call_sums.h"
#include "analysis/sums/first_ones.h"
#include "analysis/sums/flop_curve.h"
#include "analysis/sums/forward_times.h"
#include "analysis/sums/host_steps.h"
#include "analysis/sums/kernel_fills.h"
#include "analysis/sums/name_folder.h"
#include "analysis/sums/own_times.h"
#include "analysis/sums/stage_sums.h"
#include "analysis/sums/steady_steps.h"
#include "analysis/sums/step_names.h"
#include "analysis/sums/step_rows.h"
#include "analysis/sums/swapped_ranges.h"
#include "analysis/sums/training_steps.h"
#include "inject/core/segment.h"
#include "model/findings/run_findings.h"
#include "model/run/program_name.h"
#include "model/run/rank_model.h"
#include "model/run/time_limits.h"
#include "model/spool/name_cache.h"
#include "model/spool/range_joiner.h"
#include "model/spool/record_sink.h"

namespace syncline {

// Sink of the second reading, which counts what the trace shows. One thread. Memory: a sketch for
// each name; names of a process beyond kMostNames share one, and so do those that differ in
// numbers only (NameFolder).
class RecordSums : public RecordSink {
 public:
  static constexpr size_t kMostNames = 1 << 13;
  static constexpr size_t kMostStageKernels = 1 << 12;

  // `curves`: of what the process did with devices; null: nothing. Outlives this. `step_range`: of
  // --step-range.
  RecordSums(ProgramRun* run, uint64_t base_ns, WorkCurves* curves = nullptr,
             const std::string& step_range = "");

  unsigned Interests() const override { return kRanges | kDevices; }
  void OnGate(const GateRecord& change) override;
  void OnRange(const RangeEvent& event) override;
  void OnRangeStart(const RangeEvent& event) override;
  void OnRangeEnd(const RangeEvent& event) override;
  void OnOpenRange(const RangeEvent& event) override;
  void OnDeviceOp(Stream& stream, const DeviceOpRecord& op, const KernelDetails* kernel) override;

  // After the reading: which names count. Until then names() folds too few.
  void SettleNames();
  // After that: adds what was summed. `flops`: what operators computed; null: there are none.
  void Finish(RunFindings* findings, RankPart* part, const FlopCurve* flops = nullptr);
  NameFolder& names() { return folder_; }
  const std::string& program() const { return program_; }
  // After Finish: when the host was in each of the steps of which there are most, in order.
  const std::vector<CoverageGap>& main_steps() const { return main_steps_; }
  // Of the kinds of which there are most steps.
  const std::vector<SteadySteps>& steady_steps() const { return steady_steps_; }
  uint64_t FirstStepNs() { return steps_.FirstNs(); }
  // Of a kernel or graph, after Finish: as among the sums, where those beyond the most are one.
  OpKey KeyOf(const RunFindings& findings, const std::string& source, const OpLabel& label);

 private:
  // Which part of a training's step a range is: SourceFacts::optimizer_range and those beside it.
  enum class Phase : uint8_t { kNone, kFetch, kBackward, kOptimizer };

  // What a name of a stream stands for.
  struct Named {
    uint32_t sums = 0;  // in sums_
    uint16_t domain = 0;
    Source source = 0;
    bool is_step = false;
    bool is_call = false;  // SourceFacts::calls_domain
    Phase phase = Phase::kNone;
  };

  // Inlined into what is called for each record: a third less of its instructions.
  [[gnu::always_inline]] void AddRange(const RangeEvent& event, uint64_t begin_ns, uint64_t end_ns);
  [[gnu::always_inline]] bool Place(uint64_t begin_ticks, uint64_t end_ticks, uint64_t* begin_ns,
                                    uint64_t* end_ns);
  [[gnu::always_inline]] Named NameOf(const RangeEvent& event);
  Named Number(const RangeEvent& event);
  uint32_t KernelOf(Stream& stream, const DeviceOpRecord& op);
  uint32_t GraphOf(const DeviceOpRecord& op);
  void AddKernelsOfStages(RunFindings* findings);
  void AddHostSteps(const RangeEvent& event, const Named& named, uint64_t begin_ns,
                    uint64_t end_ns);
  void AddCalls(RunFindings* findings);
  // Of calls those of their stretches.
  uint32_t NumberOfWork(const RangeKey& key, uint32_t number) const;
  StageWork WorkOf(const RangeKey& key, uint32_t number) const;
  // By the numbers of names, as they are told.
  std::vector<std::string> FoldedNames();
  void AddPhase(const RangeEvent& event, const Named& named, uint64_t begin_ns, uint64_t end_ns);
  void NumberForward(const RangeEvent& event);
  void AddForward(const ForwardTimes::Span& span);
  void AddSteps(RankPart* part, const FlopCurve* flops);
  void AddTrainingSteps();
  void KeepMainSteps(const TimedSeries& timed);
  void CountOpsOfSteps(RankPart* part, size_t first);
  void AddRange(uint32_t number, uint64_t begin_ns, uint64_t end_ns) {
    range_sums_[number].Add(end_ns - begin_ns);
    first_ranges_.Add(number, begin_ns, end_ns - begin_ns);
  }
  static OpKey KeyOfCopy(const CopyLabel& label);
  void AddPartsOf(const SteadySteps& steps, RunFindings* findings);
  void TellSwapped(RankPart* part);
  void AddStep(std::string_view name, uint32_t tid, uint32_t depth, uint64_t begin_ns,
               uint64_t end_ns);
  // A start/end range.
  struct Started {
    uint32_t sums = 0;
    uint32_t tid = 0;
    bool is_call = false;
    std::string step;  // its name if that is a step's
    std::vector<uint32_t> labels;
  };
  void AddJoined(const StartedRange<Started>& range, uint64_t end_ns) {
    AddRange(range.what.sums, range.begin, end_ns);
    calls_.AddStarted(range.what.labels, end_ns - range.begin);
    // Other calls had the thread meanwhile: what it did for a call its stretches say.
    if (stages_ && range.what.is_call)
      stages_->AddOpen(range.what.sums, range.begin, end_ns);
    else if (stages_)
      stages_->AddStarted(range.what.tid, range.what.sums, range.begin, end_ns);
    if (!range.what.step.empty())
      AddStep(range.what.step, range.what.tid, StepRows::kNoDepth, range.begin, end_ns);
  }

  ProgramRun* const run_;
  const std::string program_;
  const TimeLimits limits_;
  WorkCurves* const curves_;
  NameFolder folder_;
  std::map<RangeKey, uint32_t> range_numbers_;
  std::vector<DurationSums> range_sums_;
  FirstOnes first_ranges_;
  std::optional<StageSums> stages_;
  CallSums calls_;
  std::optional<SwappedRanges> swapped_;  // of a program with an event loop
  std::optional<HostSteps> host_steps_;   // where no device did anything
  OwnTimes own_times_;
  NameCache<Named> ranges_;
  std::map<OpKey, uint32_t> kernel_numbers_;
  std::vector<DurationSums> kernel_sums_;
  KernelFills fills_;
  StepNames step_names_;
  NameCache<uint32_t> kernels_;
  std::map<OpKey, uint32_t> graph_numbers_;
  std::vector<DurationSums> graph_sums_;
  std::map<CopyLabel, CopySums> copies_;
  RangeJoiner<Started> joiner_;
  StepRows steps_;
  TrainingSteps training_;
  std::vector<CoverageGap> main_steps_;
  std::vector<SteadySteps> steady_steps_;
  ForwardTimes forward_;
  std::optional<uint32_t> forward_number_;  // among the sums
  std::set<uint32_t> helpers_;              // SourceFacts::helper_threads
  bool are_open_ = false;  // ranges that are added: nobody knows how long they took
};

}  // namespace syncline
