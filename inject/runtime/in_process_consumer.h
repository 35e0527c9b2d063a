// SPDX-License-Identifier: Apache-2.0
// Where no launcher answers: the consumer as one thread of the traced process.
#pragma once

#include "inject/runtime/in_process_files.h"
#include "inject/runtime/left_spool.h"
#include "inject/runtime/process_state.h"

namespace syncline {

// Called when the library is loaded: a process with another pid is a fork's child.
void RememberLoadingProcess();

// Whether this process is the one that loaded the library, and no child that a fork made of it.
bool IsLoadingProcess();

// ThreadSanitizer ends a fork's child of a program with threads as soon as it starts one.
bool SanitizerForbidsThread();

// Starts the thread for the segment, which writes files.spool. `ends`: the process is about to end,
// so there is no need of a thread. False: said why; the segment stays for the caller to remove.
bool StartInProcessConsumer(ProcessState* process, const InProcessFiles& files, bool ends);

// Goes on draining a segment that was handed over, where the launcher has ended or died: into the
// spool that it left. `ends`: as above.
Continued ContinueAfterLauncher(ProcessState* process, bool ends);

// In a fork's child.
void CloseInheritedSpool();

// At the end of a process whose segment's memory ends with it: drains all that is left. Waits a
// second at most. False: nothing was left to tell, and no spool of it stays.
bool DrainAtExit(ProcessState* process);

}  // namespace syncline
