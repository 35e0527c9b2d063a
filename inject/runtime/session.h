// SPDX-License-Identifier: Apache-2.0
// Starts recording in this process: segment, hand-over or own consumer, collectors. Off -> starting
// -> on, or refused.
#pragma once

#include "inject/runtime/process_state.h"

namespace syncline {

// Whether the options, the program's name and its libc (not musl) allow recording at all; read
// once, cheap. False: be as if absent.
bool RecordingAllowed();

// Brings the session up if it is off. While another thread does so, waits for it: less than a
// millisecond as a rule, at most 1 s where that thread gets no processor.
// False: do not record.
bool EnsureSession(ProcessState* process);

// The consumer ended or was killed: makes a new segment that this process drains itself. One thread
// does it, the others go on in the old one until their next slow path. Keeps what was recorded
// before for nobody: it is lost.
void TakeOver(ProcessState* process);

// Tells the launcher of a process that has a rank. From the constructor.
void SendStartNote();

}  // namespace syncline
