// SPDX-License-Identifier: Apache-2.0
// First reading of a spool: the ranges that the user calls steps, counted as torch.profiler counts.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/spool/record_sink.h"

namespace syncline {

// Ticks. A step reaches to the begin of the next one, so that what lies between two ranges (the
// loading of data) belongs to a step; the last one to its own end, as does one whose next one was
// not recorded.
struct FoundStep {
  uint64_t begin = 0;
  uint64_t end = 0;  // UINT64_MAX: its range never ended
  std::string name;  // of its range
  // Its place among the steps of its thread; where a gate left some out, as the process counted.
  uint64_t number = 0;
};

using StepsOfThreads = std::map<uint32_t, std::vector<FoundStep>>;  // by tid

// Memory: kMostSteps steps.
class StepFinder : public RecordSink {
 public:
  static constexpr size_t kMostSteps = 1 << 18;

  // `pattern`: of names, with * and ?.
  explicit StepFinder(std::string pattern) : pattern_(std::move(pattern)) {}

  unsigned Interests() const override { return kRanges; }
  void OnRange(const RangeEvent& event) override;
  void OnOpenRange(const RangeEvent& event) override;
  void OnRangeStart(const RangeEvent& event) override;
  void OnRangeEnd(const RangeEvent& event) override;
  void OnGate(const GateRecord& change) override;

  // Once. Steps that began inside another one of their thread are part of that one.
  StepsOfThreads Take();
  uint64_t left_out() const { return left_out_; }  // beyond kMostSteps

 private:
  // Null: its name does not fit, or there are too many.
  FoundStep* Add(const RangeEvent& event, uint64_t end);
  bool Fits(Stream& stream, uint32_t name);
  void Number(uint32_t tid, std::vector<FoundStep>* steps);
  // Ticks; UINT64_MAX: it did not happen, or is not known.
  uint64_t ClosedAfter(uint64_t ticks) const;
  uint64_t BeginOf(uint32_t tid, uint64_t number) const;

  struct Counted {
    uint64_t ticks;
    uint32_t step;
  };
  const std::string pattern_;
  std::unordered_map<uint64_t, bool> fits_;  // by the stream's serial and the name's id
  StepsOfThreads found_;
  std::unordered_map<uint64_t, std::pair<uint32_t, size_t>> started_;  // by id: tid and place
  std::map<uint32_t, std::vector<Counted>>
      counted_;                   // by tid: steps that began, by the process's own count
  std::vector<uint64_t> closed_;  // ticks: when a step that is not recorded began
  size_t count_ = 0;
  uint64_t left_out_ = 0;
};

}  // namespace syncline
