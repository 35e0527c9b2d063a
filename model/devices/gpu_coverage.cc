// SPDX-License-Identifier: Apache-2.0
// A period ends where the next one begins, the last with its process.
#include "model/devices/gpu_coverage.h"

#include <algorithm>
#include <utility>

namespace syncline {

const char* GpuCoverageName(GpuCoverage coverage, const char* interface) {
  switch (coverage) {
    case GpuCoverage::kAll:
      return interface;
    case GpuCoverage::kLent:
      return "left to another client";
    case GpuCoverage::kCallsOnly:
      return "calls only";
    case GpuCoverage::kNothing:
      return "nothing";
  }
  return "unknown";
}

std::vector<CoveragePeriod> CoveragePeriods(std::vector<CoverageChange> changes, Timeline* line,
                                            uint64_t end_ns) {
  std::vector<CoveragePeriod> periods;
  std::stable_sort(changes.begin(), changes.end(),
                   [](const auto& a, const auto& b) { return a.ticks < b.ticks; });
  for (CoverageChange& change : changes) {
    const uint64_t begin_ns = std::min(line->Convert(change.ticks), end_ns);
    if (!periods.empty()) periods.back().end_ns = begin_ns;
    periods.push_back({begin_ns, end_ns, change.coverage, std::move(change.why)});
  }
  return periods;
}

}  // namespace syncline
