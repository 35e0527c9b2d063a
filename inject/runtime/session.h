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

// Sees whether the launcher has ended or was killed. If so, this process drains its segment itself
// from now on, and goes on where the launcher was: one thread does this, the others record on.
// `ends`: it is about to end. True: it was done now.
bool TakeOver(ProcessState* process, bool ends);

// Claims the duty to write the traces of a process that took over.
void RecoverAtExit(ProcessState* process);

// Notices forks where the kernel cannot wipe memory in the child, and for collectors; once a
// process.
void WatchForks();

// If the process has a rank, tells the launcher that it starts. From the constructor.
void SendStartNote();

// In a fork's child that was not seen (a raw clone), where it inherits what should have been wiped:
// forgets its parent's session.
void BeForksChild();

}  // namespace syncline
