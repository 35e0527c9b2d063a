// SPDX-License-Identifier: Apache-2.0
// The logs of a process's threads: claiming one, giving it back, finding those of dead threads.
#pragma once

#include "inject/runtime/process_state.h"

namespace syncline {

// Maps `bytes` of private memory that reads as zero in a fork's child and stands in no core file.
// Null on failure.
void* MapWiped(size_t bytes);
// False: the kernel cannot (Linux before 4.14, gVisor), so a fork's child finds what its parent
// had.
bool IsWiped();

// A log for thread `tid`, all zeros but for `tid` and `index`; null: kMaxLogs threads have one, or
// there is no memory. Signals are blocked.
ThreadLog* ClaimLog(ProcessState* process, uint32_t tid);

// Gives the log back; its ring was left before. Says nothing to refused threads
// (ProcessState::left): one that found no ring gives its log back too, and would set all others,
// and itself, asking.
void FreeLog(ProcessState* process, const ThreadLog& log);

// Ends the logs of threads that ended without our key's destructor (glibc gives up after four
// rounds; keys beyond the inline ones). Asks the kernel for `most` threads, beginning where the
// last look ended.
void ReapDeadThreads(ProcessState* process, uint32_t most);

}  // namespace syncline
