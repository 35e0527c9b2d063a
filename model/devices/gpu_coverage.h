// SPDX-License-Identifier: Apache-2.0
// How much was recorded of GPUs, and when: all, or why less.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "inject/core/record.h"
#include "model/spool/timeline.h"

namespace syncline {

// What was recorded from `ticks` on.
struct CoverageChange {
  uint64_t ticks = 0;
  GpuCoverage coverage = GpuCoverage::kAll;
  std::string why;  // a call's name, or a sentence; empty: none
};

// The same, placed in time. A process that never used a GPU has none.
struct CoveragePeriod {
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  GpuCoverage coverage = GpuCoverage::kAll;
  std::string why;
};

// "left to another client", "calls only", "nothing"; if all is recorded, `interface`.
const char* GpuCoverageName(GpuCoverage coverage, const char* interface);

// `line` is valid; the last period ends at `end_ns`.
std::vector<CoveragePeriod> CoveragePeriods(std::vector<CoverageChange> changes, Timeline* line,
                                            uint64_t end_ns);

}  // namespace syncline
