// SPDX-License-Identifier: Apache-2.0
// The slow path of recording: room in the ring, and a consumer that is gone.
#pragma once

#include "inject/runtime/process_state.h"

namespace syncline {

// At exit of a process that outlived its launcher: what the rings of the launcher's segment hold
// will be drained by nobody. Counts it, in a segment of our own, so that the loss is told.
void CountAbandoned(ProcessState* process);

}  // namespace syncline
