// SPDX-License-Identifier: Apache-2.0
// Sums of a framework's operators by name, by the sizes of their inputs and by line: how long
// threads were in them, what was given to devices there, and what that computed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/sums/first_ones.h"
#include "analysis/sums/flop_curve.h"
#include "analysis/sums/operator_lines.h"
#include "analysis/sums/steady_steps.h"
#include "analysis/sums/work_curves.h"
#include "model/findings/run_findings.h"
#include "model/run/time_limits.h"
#include "model/spool/name_cache.h"
#include "model/spool/record_sink.h"

namespace syncline {

// Sink of the second reading. Ranges of a thread come in the order of their ends: what lies within
// an operator came before it. What had not ended when the process was gone is in the trace alone.
// One thread. Memory: names, and for each thread as much as ranges nest.
class OperatorTimes : public RecordSink {
 public:
  static constexpr size_t kMostNames = 1 << 13;   // more share one
  static constexpr size_t kMostShapes = 1 << 11;  // the same

  // `curves`: as for RecordSums. All outlive this.
  OperatorTimes(ProgramRun* run, uint64_t base_ns, WorkCurves* curves, const OwnCode& own);

  unsigned Interests() const override {
    return kOperators | kRanges | (lines_ == nullptr ? 0u : unsigned{kStacks});
  }
  void OnOperator(const RangeEvent& event) override;
  void OnRange(const RangeEvent& event) override;
  void OnModule(const RangeEvent& event) override { OnRange(event); }

  // When all was read.
  const FlopCurve& FinishedFlops();
  // `kinds`: of steps that count.
  void Finish(const std::vector<SteadySteps>& kinds, RunFindings* findings, RankPart* part);

 private:
  // What the list of an operator's inputs says.
  struct Inputs {
    uint32_t shape = 0;  // in shape_sums_
    std::optional<OperatorCost> cost;
  };
  struct Thread {
    WorkCurves::Thread* work = nullptr;
    std::vector<OperatorWork> within;  // by depth: of operators whose outer range is still to come
    std::unordered_map<uint64_t, Inputs> inputs;  // by the numbers of a name and a list
  };

  Thread& ThreadOf(const Stream& stream);
  uint32_t NumberOf(const RangeEvent& event);
  uint32_t Number(const RangeEvent& event);
  RangeKey KeyOf(const RangeEvent& event) const;
  // Null: they were not recorded.
  const Inputs* InputsOf(const RangeEvent& event, Thread* thread);
  uint32_t ShapeOf(const RangeEvent& event, std::string shapes);
  // Of a call with no such operators within.
  void AddComputed(const OperatorCost& cost, uint64_t begin_ns, const OperatorWork& all,
                   ComputedWork* sums);
  // Of what is deeper, which is taken.
  static OperatorWork TakeWithin(Thread* thread, uint32_t depth);

  ProgramRun& run_;
  const std::string program_;
  const TimeLimits limits_;
  WorkCurves* const curves_;
  std::map<RangeKey, uint32_t> numbers_;
  std::vector<OperatorSums> sums_;  // by number
  FirstOnes first_;
  NameCache<uint32_t> names_;
  std::map<OperatorGroup, uint32_t> shapes_;
  std::vector<OperatorSums> shape_sums_;  // by number
  std::unique_ptr<OperatorLines> lines_;  // null: they were not recorded
  FlopCurve flops_;
  std::unordered_map<uint64_t, Thread> threads_;  // by stream
  Thread* thread_ = nullptr;                      // of the stream seen last
  uint64_t stream_ = 0;
};

}  // namespace syncline
