// SPDX-License-Identifier: Apache-2.0
// Threads of the program: entering a segment with the first record, and leaving it.
#pragma once

#include "inject/runtime/process_state.h"

namespace syncline {

// Creates the pthread key whose destructor ends a thread's stream, once; called when a session
// starts.
void PrepareThreadEnd();

// Ends a thread's stream at its exit, or from the exit hook: open ranges are closed and marked.
void EndThread(ThreadLog& log);

// Gives the thread a ring in the process's present segment and begins a stream there. False: none
// is to be had.
bool EnterRing(ProcessState* process, ThreadLog& log);

}  // namespace syncline
