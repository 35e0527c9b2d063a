// SPDX-License-Identifier: Apache-2.0
// Says in the trace how much of the GPU is recorded, and why not all.
#pragma once

#include "inject/core/record.h"

namespace syncline::cuda {

// Writes a GpuModeRecord into this thread's ring: from now on. `why`: a few words, "" for none.
void RecordMode(GpuMode mode, const char* why);

}  // namespace syncline::cuda
