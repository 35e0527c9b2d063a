// SPDX-License-Identifier: Apache-2.0
// From ticks to the job's line.
#include "writers/chrome/layout/steps.h"

#include <algorithm>

#include "model/run/time_limits.h"

namespace syncline {

std::vector<ShownStep> ShownSteps(const StepsOfThreads& found, uint64_t base_ns, ProgramRun* run) {
  std::vector<ShownStep> shown;
  const TimeLimits limits = LimitsOf(*run, base_ns);
  for (const auto& [tid, steps] : found) {
    for (const FoundStep& step : steps) {
      if (step.name.starts_with("ProfilerStep#")) return {};
      const uint64_t begin = run->timeline.Convert(step.begin);
      const uint64_t end =
          step.end == UINT64_MAX ? std::max(begin, run->end_ns) : run->timeline.Convert(step.end);
      if (limits.Hold(begin, end)) shown.push_back({tid, step.number, begin, end, step.name});
    }
  }
  return shown;
}

}  // namespace syncline
