// SPDX-License-Identifier: Apache-2.0
// Steps ask the curves of their devices.
#include "analysis/sums/step_shares.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/stable_sort.h"

namespace syncline {

void ShareSteps(TimeCurves* curves, const TimedSeries& timed, StepSeries* series) {
  const std::vector<Step>& steps = series->steps;
  if (curves->empty() || steps.empty()) return;
  const Step* const steady = FirstSteadyStep(steps);
  const Step& first = steady == nullptr ? steps.front() : *steady;
  series->shares = curves->Between(first.begin_ns, steps.back().begin_ns + steps.back().duration_ns,
                                   timed.OfAll().devices);
  std::vector<size_t> outliers = StepOutliers(steps);
  StableSort(&outliers,
             [&](size_t a, size_t b) { return steps[a].duration_ns > steps[b].duration_ns; });
  outliers.resize(std::min(outliers.size(), kMostLongSteps));
  for (const size_t index : outliers) {
    const Step& step = steps[index];
    const TimedStep& one = timed.steps[index];
    LongStep& longest = series->longest.emplace_back();
    longest.begin_ns = step.begin_ns;
    longest.shares =
        curves->Between(step.begin_ns, step.begin_ns + step.duration_ns, timed.Of(one).devices);
    longest.name = one.name;
  }
}

}  // namespace syncline
