// SPDX-License-Identifier: Apache-2.0
// Reports of runs that never were, to look at.
#pragma once

#include <cstdint>
#include <string>

#include "report/report.h"

namespace syncline {

struct MadeUpRun {
  uint64_t ranks = 4;
  uint64_t steps = 200;
  uint64_t kernels = 50;
  size_t findings = 12;     // at most 12
  std::string name_suffix;  // of every name
};

// One rank is slow in some of its steps.
Report MadeUpReport(const MadeUpRun& run);

// What a hostile program may call things.
std::string HostileName();

}  // namespace syncline
