// SPDX-License-Identifier: Apache-2.0
// Which steps of a process were recorded from begin to end, which ran when its collectors had left
// it, and what the difference says of recording.
#pragma once

#include <cstdint>
#include <vector>

#include "inject/core/record.h"
#include "model/findings/recording_cost.h"
#include "model/spool/timeline.h"

namespace syncline {

struct OpenWindow;

class StepCosts {
 public:
  // Any record of the gate; in any order.
  void Add(const GateRecord& record);
  // When all are there.
  void Finish(const std::vector<OpenWindow>& windows);
  // Then, each call that was recorded; the rest is the same in any order.
  void CountCall(uint64_t begin);

  // All 0: there are not enough steps of either kind.
  RecordingCost Cost(Timeline* line) const;

 private:
  struct TimedStep {
    uint64_t begin = 0;  // ticks
    uint64_t end = 0;
  };
  static constexpr size_t kMostSteps = 1 << 18;

  std::vector<GateRecord> begins_;              // of steps; and what ends the last recorded one
  std::vector<TimedStep> recorded_{}, bare_{};  // by begin
  uint64_t calls_ = 0;
};

}  // namespace syncline
