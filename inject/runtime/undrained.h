// SPDX-License-Identifier: Apache-2.0
// What lies in rings whose consumer is gone: nobody will drain it, so it is counted.
#pragma once

#include "inject/runtime/process_state.h"

namespace syncline {

// Events that the thread recorded since the consumer of its ring last looked.
uint64_t UndrainedEvents(const ThreadLog& log);

// Events in the rings that threads of this process left, when they ended or got larger ones.
uint64_t UndrainedInLeftRings(ProcessState* process, const SegmentHeader* header);

}  // namespace syncline
