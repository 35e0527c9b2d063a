// SPDX-License-Identifier: Apache-2.0
// Where no launcher answers: the consumer as one thread of the traced process.
#pragma once

#include "inject/runtime/process_state.h"

namespace syncline {

// Starts the thread for the present segment; `segment_path` is its file, "" if it has none. The
// spool goes below SYNCLINE_SPOOL, else below SYNCLINE_OUTPUT, else below syncline-out/ of the
// current directory; next to it a link to the segment, by which `syncline recover` finds what the
// thread had not drained when the process died. False: said why. `launcher_near`: a launcher of
// this node recovers and formats; else this process sees to it (SpawnRecovery).
bool StartOwnConsumer(ProcessState* process, const char* segment_path, bool launcher_near);

// At exit: if this process was the first of its rank that drained itself and no launcher will do
// it, starts `syncline recover` as a process of its own, which waits until we are gone and writes
// the trace.
void SpawnRecovery();

}  // namespace syncline
