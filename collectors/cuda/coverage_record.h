// SPDX-License-Identifier: Apache-2.0
// Says in the trace how much of the GPU is recorded, and why not all.
#pragma once

#include "inject/core/clock.h"
#include "inject/core/record.h"

namespace syncline::cuda {

// Writes a GpuCoverageRecord into this thread's ring: from `since` on, in ticks. `why`: a few
// words, "" for none.
void RecordCoverage(GpuCoverage coverage, const char* why, uint64_t since = Ticks());

}  // namespace syncline::cuda
