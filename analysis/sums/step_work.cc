// SPDX-License-Identifier: Apache-2.0
// From the first steady step on, as shares of time.
#include "analysis/sums/step_work.h"

#include <algorithm>

namespace syncline {

void WorkOfSteps(const FlopCurve& flops, const TimedSeries& timed, StepSeries* series) {
  const std::vector<Step>& steps = series->steps;
  const bool alone = std::all_of(timed.others.begin(), timed.others.end(),
                                 [](const auto& others) { return others.second.threads.empty(); });
  if (flops.empty() || steps.empty() || !alone) return;
  const Step* const steady = FirstSteadyStep(steps);
  const size_t first = steady == nullptr ? 0 : static_cast<size_t>(steady - steps.data());
  for (size_t i = first; i < steps.size(); ++i) {
    const CoverageGap& host = timed.steps[i].host;
    flops.AddBetween(host.begin_ns, host.end_ns, &series->work);
    series->work.total_ns += steps[i].duration_ns;
    ++series->work.steps;
  }
}

}  // namespace syncline
