// SPDX-License-Identifier: Apache-2.0
// A period ends where the next one begins, the last with its process.
#include "model/gpu_modes.h"

#include <algorithm>
#include <utility>

namespace syncline {

const char* GpuModeName(GpuMode mode) {
  switch (mode) {
    case GpuMode::kAll:
      return "cupti";
    case GpuMode::kLent:
      return "left to another client";
    case GpuMode::kCallsOnly:
      return "calls only";
    case GpuMode::kNothing:
      return "nothing";
  }
  return "unknown";
}

bool GpuModeFrom(std::string_view name, GpuMode* mode) {
  for (const GpuMode known :
       {GpuMode::kAll, GpuMode::kLent, GpuMode::kCallsOnly, GpuMode::kNothing}) {
    if (name != GpuModeName(known)) continue;
    *mode = known;
    return true;
  }
  return false;
}

std::vector<GpuPeriod> GpuPeriods(std::vector<GpuModeChange> changes, Timeline* line,
                                  uint64_t end_ns) {
  std::vector<GpuPeriod> periods;
  std::stable_sort(changes.begin(), changes.end(),
                   [](const auto& a, const auto& b) { return a.ticks < b.ticks; });
  for (GpuModeChange& change : changes) {
    const uint64_t begin_ns = std::min(line->Convert(change.ticks), end_ns);
    if (!periods.empty()) periods.back().end_ns = begin_ns;
    periods.push_back({begin_ns, end_ns, change.mode, std::move(change.why)});
  }
  return periods;
}

}  // namespace syncline
