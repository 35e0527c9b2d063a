// SPDX-License-Identifier: Apache-2.0
// From a run's life.
#include "model/run/time_limits.h"

#include <algorithm>

namespace syncline {

TimeLimits LimitsOf(const ProgramRun& run, uint64_t base_ns) {
  constexpr uint64_t kToleranceNs = 10000000000;
  TimeLimits limits;
  limits.base_ns = base_ns;
  limits.earliest_ns = std::max(base_ns, run.begin_ns - std::min(run.begin_ns, kToleranceNs));
  if (run.end_known && run.end_ns < UINT64_MAX - kToleranceNs)
    limits.latest_ns = run.end_ns + kToleranceNs;
  return limits;
}

}  // namespace syncline
