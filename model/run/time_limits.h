// SPDX-License-Identifier: Apache-2.0
// Between which times the records of a program's life can lie.
#pragma once

#include <cstdint>

#include "model/run/rank_model.h"

namespace syncline {

// A record that ends outside of these limits is damaged; one that begins before the trace's base
// cannot be shown. Both are counted. Nanoseconds on the job's line.
struct TimeLimits {
  uint64_t base_ns = 0;
  uint64_t earliest_ns = 0;  // not before the base
  uint64_t latest_ns = UINT64_MAX;

  bool Hold(uint64_t begin_ns, uint64_t end_ns) const {
    return begin_ns >= earliest_ns && begin_ns <= end_ns && end_ns <= latest_ns;
  }
};

// A record further than ten seconds outside of its process's life is damaged.
TimeLimits LimitsOf(const ProgramRun& run, uint64_t base_ns);

}  // namespace syncline
