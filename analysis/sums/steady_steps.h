// SPDX-License-Identifier: Apache-2.0
// When the host was in the steps of one kind that count: from the first steady one on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/sums/kernel_sums.h"
#include "analysis/sums/step_rows.h"
#include "analysis/sums/work_curves.h"
#include "model/devices/coverage_gaps.h"
#include "model/findings/run_findings.h"

namespace syncline {

class SteadySteps {
 public:
  SteadySteps(std::string name, const TimedSeries& timed);
  const std::string& name() const { return name_; }
  uint64_t count() const { return steps_; }
  // When the host began the first one; 0: there is none.
  uint64_t first_ns() const { return spans_.empty() ? 0 : spans_.front().begin_ns; }

  // Whether the thread was in one then: any thread, but those that have steps of their own.
  bool Has(uint32_t tid, uint64_t at_ns) const;
  StepOps OpsIn(WorkCurves* curves) const;
  KernelTally KernelsIn(WorkCurves* curves) const;
  CopyParts CopiesIn(const WorkCurves& curves) const;

 private:
  std::string name_;                // StepSeries::name
  std::vector<CoverageGap> spans_;  // joined
  std::vector<uint32_t> others_;    // threads, sorted
  uint64_t steps_ = 0;
};

}  // namespace syncline
