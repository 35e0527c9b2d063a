// SPDX-License-Identifier: Apache-2.0
// Starts recording in this process: segment, hand-over or own consumer, collectors. Off -> starting
// -> on, or refused.
#pragma once

#include "inject/runtime/process_state.h"

namespace syncline {

// Brings the session up if it is off. While another thread does so, waits for it: less than a
// millisecond as a rule, at most 1 s where that thread gets no processor.
// False: do not record.
bool EnsureSession(ProcessState* process);

// The consumer ended or was killed: makes a new segment that this process drains itself. One thread
// does this, the others go on in the old one until their next slow path. What was recorded before
// is lost.
void TakeOver(ProcessState* process);

// Notices forks where the kernel cannot wipe memory in the child, and for collectors; once a
// process.
void WatchForks();

// If the process has a rank, tells the launcher that it starts. From the constructor.
void SendStartNote();

}  // namespace syncline
