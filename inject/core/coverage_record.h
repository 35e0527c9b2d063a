// SPDX-License-Identifier: Apache-2.0
// Says in the trace how much of a source's devices is recorded, and why not all.
#pragma once

#include "inject/core/record.h"

namespace syncline {

// Writes a GpuCoverageRecord into this thread's ring: from `since` on, in ticks; 0: from now on.
// `why`: a few words, "" for none.
void RecordCoverage(Source source, GpuCoverage coverage, const char* why, uint64_t since = 0);

}  // namespace syncline
