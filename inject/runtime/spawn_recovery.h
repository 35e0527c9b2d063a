// SPDX-License-Identifier: Apache-2.0
// Where no launcher will write the traces: starts `syncline recover` when the rank's first process
// ends.
#pragma once

#include "inject/runtime/in_process_files.h"

namespace syncline {

// Makes this process the one that recovers its rank, if none that still runs has claimed it. Once a
// session, by the thread that starts it.
void ClaimRecovery(const InProcessFiles& files, const ProcessFacts& facts);

// At exit, by any thread: if this process has claimed its rank, starts `syncline recover` as a
// process of its own, which waits until we are gone and writes the trace.
void SpawnRecovery();

}  // namespace syncline
