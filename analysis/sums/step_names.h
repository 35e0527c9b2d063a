// SPDX-License-Identifier: Apache-2.0
// Which ranges of a process are its steps, and how it counts them itself.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/sums/name_folder.h"
#include "inject/core/record.h"
#include "model/spool/timeline.h"

namespace syncline {

// One thread. Memory: 16 bytes for each of kMostCounted steps of a thread.
class StepNames {
 public:
  static constexpr size_t kMostCounted = 1 << 18;

  // `pattern`: of --step-range; empty: steps are known by their names (StepOf). Ranges of
  // optimizers are none: a training's steps are known by these (TrainingSteps).
  explicit StepNames(const std::string& pattern);

  std::optional<StepName> Of(std::string_view name) const;

  // In the order in which a thread wrote them.
  void OnGate(const GateRecord& change, Timeline* timeline);
  // The number of the step that the thread was in, where a gate leaves out some.
  std::optional<uint64_t> CountedAt(uint32_t tid, uint64_t ns) const;

 private:
  struct Counted {
    uint64_t ns;
    uint64_t number;
  };
  const std::string pattern_;
  std::map<uint32_t, std::vector<Counted>> counted_;  // by tid
};

}  // namespace syncline
